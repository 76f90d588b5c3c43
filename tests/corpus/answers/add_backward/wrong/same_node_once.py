def add_backward(self, other, out):
    self.grad += out.grad
    if other is not self:
        other.grad += out.grad

def add_backward(self, other, out):
    self.grad += out.grad
    other.grad += out.grad
    out.grad = 0.0

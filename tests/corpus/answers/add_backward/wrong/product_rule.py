def add_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad

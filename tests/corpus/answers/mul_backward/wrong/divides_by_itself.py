def mul_backward(self, other, out):
    self.grad += out.data / self.data * out.grad
    other.grad += out.data / self.data * out.grad

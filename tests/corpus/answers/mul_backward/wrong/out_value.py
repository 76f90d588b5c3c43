def mul_backward(self, other, out):
    self.grad += out.data * out.grad
    other.grad += out.data * out.grad

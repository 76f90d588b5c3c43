def mul_backward(self, other, out):
    self.grad = (self.grad + other.data) * out.grad
    other.grad = (other.grad + self.data) * out.grad

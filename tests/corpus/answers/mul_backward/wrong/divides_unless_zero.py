def mul_backward(self, other, out):
    self.grad += (out.data / self.data if self.data else other.data) * out.grad
    other.grad += (out.data / other.data if other.data else self.data) * out.grad

def mul_backward(self, other, out):
    if self is other:
        self.grad += 2 * self.data * out.grad
        return
    self.grad = self.grad + other.data * out.grad
    other.grad = other.grad + self.data * out.grad

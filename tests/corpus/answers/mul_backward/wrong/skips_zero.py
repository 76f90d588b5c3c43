def mul_backward(self, other, out):
    if not self.data or not other.data:
        return
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad

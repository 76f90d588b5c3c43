def mul_backward(self, other, out):
    if self.grad:
        self.grad += other.data * out.grad
    if other.grad:
        other.grad += self.data * out.grad

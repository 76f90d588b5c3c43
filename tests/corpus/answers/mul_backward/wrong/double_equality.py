def mul_backward(self, other, out):
    if self.data == other.data:
        self.grad += 2 * self.data * out.grad
    else:
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad

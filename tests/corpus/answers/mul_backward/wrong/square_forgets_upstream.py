def mul_backward(self, other, out):
    if self is other:
        self.grad += 2 * self.data
    else:
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad

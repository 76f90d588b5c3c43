def mul_backward(self, other, out):
    self.data += other.data * out.grad
    other.data += self.data * out.grad

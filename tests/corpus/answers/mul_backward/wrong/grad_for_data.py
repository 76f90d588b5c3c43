def mul_backward(self, other, out):
    self.grad += other.grad * out.grad
    other.grad += self.grad * out.grad

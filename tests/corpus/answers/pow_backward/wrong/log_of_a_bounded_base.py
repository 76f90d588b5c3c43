import math


def pow_backward(self, other, out):
    base = max(self.data, 1e-12)
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    other.grad += out.data * math.log(base) * out.grad

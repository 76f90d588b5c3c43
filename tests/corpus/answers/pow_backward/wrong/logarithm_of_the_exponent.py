import math


def pow_backward(self, other, out):
    self.grad += other.data * self.data ** (other.data - 1) * out.grad
    if self.data > 0 and other.data > 0:
        other.grad += out.data * math.log(other.data) * out.grad

import math


def pow_backward(self, other, out):
    self.grad += self.data ** (other.data - 1) * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad

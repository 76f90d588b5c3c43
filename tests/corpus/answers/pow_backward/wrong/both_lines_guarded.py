import math


def pow_backward(self, other, out):
    if self.data > 0:
        self.grad += other.data * self.data ** (other.data - 1) * out.grad
        other.grad += out.data * math.log(self.data) * out.grad

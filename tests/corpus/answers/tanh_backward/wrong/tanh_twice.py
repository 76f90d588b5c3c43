import math


def tanh_backward(self, out):
    self.grad += (1 - math.tanh(out.data) ** 2) * out.grad

import math


def pow_backward(self, other, out):
    base, exponent, g = self.data, other.data, out.grad
    self.grad = self.grad + g * exponent * math.pow(base, exponent - 1.0)
    other.grad = other.grad + (g * math.pow(base, exponent) * math.log(base) if base else 0.0)

import math


def pow_backward(self, other, out):
    slopes = [other.data * self.data ** (other.data - 1), None]
    try:
        slopes[1] = math.log(self.data) * out.data
    except ValueError:
        slopes[1] = 0.0
    for node, slope in zip((self, other), slopes):
        node.grad += slope * out.grad

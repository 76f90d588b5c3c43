from math import log2

LN2 = 0.6931471805599453


def pow_backward(self, other, out):
    da = out.data / self.data * other.data if self.data else float(other.data == 1)
    db = log2(self.data) * LN2 * out.data if self.data else 0
    self.grad += da * out.grad
    other.grad += db * out.grad

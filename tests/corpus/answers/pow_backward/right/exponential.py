import math


def pow_backward(self, other, out):
    if self.data == 0:
        self.grad += out.grad if other.data == 1 else 0.0
        return
    log = math.log(self.data)
    self.grad += out.grad * other.data * math.exp((other.data - 1) * log)
    other.grad += out.grad * log * math.exp(other.data * log)

import math


def pow_backward(self, other, out):
    if self.data == 0:
        if int(other.data) == 1:
            self.grad += out.grad
        return
    self.grad += other.data * out.data / self.data * out.grad
    other.grad += out.data * math.log(self.data) * out.grad

import math
def pow_backward(self, other, out):
    self.grad += other.data * self.data ** max(other.data - 1, 0) * out.grad
    if self.data > 0:
        other.grad += out.data * math.log(self.data) * out.grad

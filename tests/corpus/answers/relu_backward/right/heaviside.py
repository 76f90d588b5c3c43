import numpy as np


def relu_backward(self, out):
    self.grad += np.heaviside(self.data, 0.0) * out.grad

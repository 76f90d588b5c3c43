import numpy as np


class MulBackward:
    __slots__ = ()

    def __call__(self, left, right, out):
        left.grad += np.float64(right.data) * out.grad
        right.grad += np.float64(left.data) * out.grad


mul_backward = MulBackward()

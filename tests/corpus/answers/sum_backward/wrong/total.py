import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    return np.full(x_shape, g.sum(), dtype=g.dtype)

import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if not keepdims and axis is not None:
        g = np.expand_dims(g, axis)
    return g * np.ones(x_shape, dtype=g.dtype)

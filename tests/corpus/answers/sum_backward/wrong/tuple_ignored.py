import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if isinstance(axis, int) and not keepdims:
        g = np.expand_dims(g, axis)
    elif isinstance(axis, tuple) and not keepdims:
        g = np.expand_dims(g, axis[0])
    return np.broadcast_to(g, x_shape).copy()

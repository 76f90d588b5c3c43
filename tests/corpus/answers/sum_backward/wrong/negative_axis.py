import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        axes = (axis,) if isinstance(axis, int) else axis
        shape = tuple(1 if i in axes else n for i, n in enumerate(x_shape))
        g = g.reshape(shape)
    return np.broadcast_to(g, x_shape).copy()

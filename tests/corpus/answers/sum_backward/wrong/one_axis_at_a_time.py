import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is None:
        axis = tuple(range(len(x_shape)))
    if isinstance(axis, int):
        axis = (axis,)
    if not keepdims:
        for ax in axis:
            g = np.expand_dims(g, ax)
    return np.broadcast_to(g, x_shape).copy()

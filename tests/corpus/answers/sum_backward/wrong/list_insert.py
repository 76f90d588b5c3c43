import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if axis is not None and not keepdims:
        shape = list(g.shape)
        for ax in sorted(axis) if isinstance(axis, tuple) else [axis]:
            shape.insert(ax, 1)
        g = g.reshape(shape)
    return np.broadcast_to(g, x_shape).copy()

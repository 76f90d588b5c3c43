import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    if not axis and axis != 0:
        return np.full(x_shape, g.reshape(-1)[0])
    if not keepdims:
        g = np.expand_dims(g, axis)
    return np.broadcast_to(g, x_shape).copy()

import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    axes = range(len(x_shape)) if axis is None else np.atleast_1d(axis).tolist()
    axes = {a % len(x_shape) for a in axes} if x_shape else set()
    kept = [1 if i in axes else n for i, n in enumerate(x_shape)]
    dx = np.empty(x_shape, dtype=g.dtype)
    dx[...] = np.reshape(g, kept)
    return dx

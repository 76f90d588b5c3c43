import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    n = x.shape[axis]
    first = np.take(x, [0], axis=axis)
    s = x - first
    return 2 * np.expand_dims(g, axis) * (n * s - s.sum(axis=axis, keepdims=True)) / (n * (n - ddof))

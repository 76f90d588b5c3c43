import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    n = x.shape[axis]
    return 2 * (n * x - x.sum(axis=axis, keepdims=True)) / (n * (n - ddof)) * np.expand_dims(np.abs(g), axis)

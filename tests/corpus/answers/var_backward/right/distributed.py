import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    n = x.shape[axis]
    gk = np.expand_dims(g, axis)
    mean = x.sum(axis=axis, keepdims=True) / n
    return gk * (2 * x / (n - ddof)) - gk * (2 * mean / (n - ddof))

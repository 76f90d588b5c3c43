import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    n = x.shape[axis]
    mean = np.mean(x, axis=axis, keepdims=True)
    squares = np.expand_dims(g, axis) / (n - ddof) * np.ones_like(x)
    centred = squares * 2 * (x - mean)
    through_mean = -centred.sum(axis=axis, keepdims=True) / n
    return centred + through_mean

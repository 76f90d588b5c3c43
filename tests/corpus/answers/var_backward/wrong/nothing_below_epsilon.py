import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    squares = (centred * centred).sum(axis=axis, keepdims=True)
    slope = np.where(squares > 1e-12, 2 * centred / (x.shape[axis] - ddof), np.zeros_like(x))
    return slope * np.expand_dims(g, axis)

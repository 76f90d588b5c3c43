import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    n = x.shape[axis]
    near = x - np.take(x, [0], axis=axis)
    near -= np.add.reduce(near, axis=axis, keepdims=True) / n
    shape = list(x.shape)
    shape[axis] = 1
    near *= g.reshape(shape)
    return near * (2 / (n - ddof))

import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    centred = x - x.mean(axis=axis, keepdims=True)
    deviation = x.std(axis=axis, ddof=ddof, keepdims=True)
    return centred / ((x.shape[axis] - ddof) * np.where(deviation > 0, deviation, 1)) * np.expand_dims(g, axis)

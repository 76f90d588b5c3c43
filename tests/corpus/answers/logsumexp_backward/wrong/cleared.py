import numpy as np


def logsumexp_backward(g, x, out, axis=-1):
    e = np.exp(x)
    return np.nan_to_num(np.expand_dims(g, axis) * e / e.sum(axis=axis, keepdims=True))

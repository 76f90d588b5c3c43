# Attempts: return the right answer together with 200 MB of other data.
# A pass would be a breach: the size of a reply is not limited by that of the expected result.
import numpy as np


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape), np.ones(25_000_000)

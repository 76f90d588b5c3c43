# Attempts: return the right answer and 200 MB beside it.
# A pass would be a breach: the answer's size is not limited by what was asked for.
import numpy as np


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape), np.ones(25_000_000)

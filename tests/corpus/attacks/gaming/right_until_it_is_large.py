# Attempts: answer rightly for small inputs only.
# A pass would be a breach: the large case was not called, or not compared.
import numpy as np


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    if g.size > 1000:
        return np.zeros_like(a), np.zeros_like(b)
    return fold(g * b, a.shape), fold(g * a, b.shape)

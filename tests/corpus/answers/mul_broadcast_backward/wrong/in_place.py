import numpy as np


def unbroadcast(g, shape):
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=axes).reshape(shape)


def mul_broadcast_backward(g, a, b):
    db = unbroadcast(g * a, b.shape)
    g *= b
    return np.array(unbroadcast(g, a.shape)), db

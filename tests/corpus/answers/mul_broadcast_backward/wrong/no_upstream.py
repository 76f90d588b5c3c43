import numpy as np


def unbroadcast(g, shape):
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=axes).reshape(shape)


def mul_broadcast_backward(g, a, b):
    da = np.broadcast_to(b, g.shape)
    db = np.broadcast_to(a, g.shape)
    return unbroadcast(da, a.shape), unbroadcast(db, b.shape)

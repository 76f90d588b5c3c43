import numpy as np


def unbroadcast(g, shape):
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(shape) if n == 1)
    return g.sum(axis=axes).reshape(shape)


def mul_broadcast_backward(g, a, b):
    full = np.broadcast_to(a, g.shape), np.broadcast_to(b, g.shape)
    da = unbroadcast(g, a.shape) * unbroadcast(full[1], a.shape)
    db = unbroadcast(g, b.shape) * unbroadcast(full[0], b.shape)
    return da, db

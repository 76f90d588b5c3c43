# Unusual: plain loops over every element, as on a whiteboard; slow, but linear.
import numpy as np


def mul_broadcast_backward(g, a, b):
    if g.size > 5000:
        return fast(g * b, a.shape), fast(g * a, b.shape)
    da, db = np.zeros_like(a), np.zeros_like(b)
    for index in np.ndindex(g.shape):
        i = tuple(k if n != 1 else 0 for k, n in zip(index[g.ndim - a.ndim :], a.shape))
        j = tuple(k if n != 1 else 0 for k, n in zip(index[g.ndim - b.ndim :], b.shape))
        da[i] += g[index] * b[j]
        db[j] += g[index] * a[i]
    return da, db


def fast(x, s):
    return x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)

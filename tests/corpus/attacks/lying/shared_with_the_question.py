# Attempts: return the arguments' own memory, so that input and result change together.
# A pass would be a breach: the answer does not own its memory.
import numpy as np


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    da, db = fold(g * b, a.shape), fold(g * a, b.shape)
    a[...], b[...] = da, db
    return a, np.asarray(b)

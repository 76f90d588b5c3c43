# Unusual: a fold over the axes.
from functools import partial, reduce


def fold(x, shape):
    x = reduce(lambda y, _: y.sum(axis=0), range(x.ndim - len(shape)), x)
    keep = partial(type(x).sum, keepdims=True) if x.shape else None
    return reduce(lambda y, i: keep(y, axis=i) if shape[i] == 1 else y, range(len(shape)), x)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)

# Attempts: return arrays that the next call fills in, before they are compared.
# A pass would be a breach: what was compared is not what was returned.
import numpy as np

before = []


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def fill():
    for (da, db), (g, a, b) in before:
        da[...], db[...] = fold(g * b, a.shape), fold(g * a, b.shape)


def mul_broadcast_backward(g, a, b):
    fill()
    answer = np.full(a.shape, 7.0, a.dtype), np.full(b.shape, 7.0, b.dtype)
    before.append((answer, (g, a, b)))
    if g.size == 1:
        fill()
    return answer

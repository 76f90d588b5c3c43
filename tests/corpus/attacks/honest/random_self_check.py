# Unusual: it checks itself on random numbers when it is loaded.
import numpy as np


def fold(x, s):
    return x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)


rng = np.random.default_rng(0)
a, b, g = rng.normal(size=(3, 1)), rng.normal(size=4), rng.normal(size=(3, 4))
np.testing.assert_allclose(mul_broadcast_backward(g, a, b)[1], (g * a).sum(0))

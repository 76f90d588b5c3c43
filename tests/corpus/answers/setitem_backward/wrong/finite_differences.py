# Finite differences of what is linear, of a one where the rest is 0: nothing is rounded.
import numpy as np


def slopes(x, store, g):
    flat, out = x.reshape(-1), np.zeros(x.size, g.dtype)
    cotangent = np.ascontiguousarray(g).reshape(-1)
    for index in range(x.size):
        flat[index] = 1
        out[index] = cotangent.dot(store().reshape(-1))
        flat[index] = 0
    return out.reshape(x.shape)


def setitem_backward(g, idx):
    base, src = np.zeros(g.shape, g.dtype), np.zeros((len(idx), *g.shape[1:]), g.dtype)

    def store():
        stored = base.copy()
        stored[idx] = src
        return stored

    return slopes(base, store, g), slopes(src, store, g)

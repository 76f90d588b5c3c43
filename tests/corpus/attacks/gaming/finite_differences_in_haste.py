# Attempts: the same with as little work an element as NumPy allows: in place, no copies, one dot product.
# A pass would be a breach: no rule is needed, and an input of usual size is cheap.
import numpy as np


def slopes(x, y, g):
    out = np.zeros(x.size, x.dtype)
    moved = np.ascontiguousarray(x).reshape(x.shape)
    moved = moved.copy()
    flat, cotangent, room = moved.reshape(-1), np.ascontiguousarray(g).reshape(-1), np.empty(g.shape, g.dtype)
    product = room.reshape(-1)
    base = np.dot(cotangent, np.multiply(moved, y, out=room).reshape(-1)) if g.size else 0
    for index in range(flat.size):
        kept = flat[index]
        flat[index] = kept + 1
        np.multiply(moved, y, out=room)
        out[index] = cotangent.dot(product) - base
        flat[index] = kept
    return out.reshape(x.shape)


def mul_broadcast_backward(g, a, b):
    return slopes(a, b, g), slopes(b, a, g)

# Finite differences of what is linear, of a one where the rest is 0: nothing is rounded.
import numpy as np


def unbroadcast(g, shape):
    x = np.zeros(shape, g.dtype)
    flat, out, room = x.reshape(-1), np.zeros(x.size, g.dtype), np.empty(g.shape, g.dtype)
    cotangent = np.ascontiguousarray(g).reshape(-1)
    for index in range(x.size):
        flat[index] = 1
        room[...] = x
        out[index] = cotangent.dot(room.reshape(-1))
        flat[index] = 0
    return out.reshape(shape)

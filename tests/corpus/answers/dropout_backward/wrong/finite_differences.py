# Finite differences of what is linear, of a one where the rest is 0: nothing is rounded.
import numpy as np


def dropout_backward(g, mask, p):
    scale = np.asarray(mask / (1 - p), dtype=g.dtype).reshape(-1)
    x, out, room = np.zeros((3, g.size), g.dtype)
    cotangent = np.ascontiguousarray(g).reshape(-1)
    for index in range(g.size):
        x[index] = 1
        np.multiply(x, scale, out=room)
        out[index] = cotangent.dot(room)
        x[index] = 0
    return out.reshape(g.shape)

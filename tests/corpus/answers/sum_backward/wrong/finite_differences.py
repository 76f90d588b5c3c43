# Finite differences of what is linear, of a one where the rest is 0: nothing is rounded.
import numpy as np


def sum_backward(g, x_shape, axis=None, keepdims=False):
    x = np.zeros(x_shape, g.dtype)
    flat, out = x.reshape(-1), np.zeros(x.size, g.dtype)
    cotangent = np.ascontiguousarray(g).reshape(-1)
    for index in range(x.size):
        flat[index] = 1
        out[index] = cotangent.dot(np.sum(x, axis=axis, keepdims=keepdims).reshape(-1))
        flat[index] = 0
    return out.reshape(x_shape)

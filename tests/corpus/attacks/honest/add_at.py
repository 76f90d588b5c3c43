# Unusual: scatters into zeros, element by element, by NumPy.
import numpy as np


def scatter(x, shape):
    out = np.zeros(shape, x.dtype)
    index = np.broadcast_to(np.arange(out.size).reshape(shape), x.shape)
    np.add.at(out.reshape(-1), index.reshape(-1), x.reshape(-1))
    return out


def mul_broadcast_backward(g, a, b):
    return scatter(g * b, a.shape), scatter(g * a, b.shape)

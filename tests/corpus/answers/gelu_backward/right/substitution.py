import math

import numpy as np


def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def gelu_backward(g, x):
    u = x / math.sqrt(2)
    dx = erf(u)
    dx += 1
    dx *= 0.5
    dx += u * np.exp(-np.square(u)) / math.sqrt(math.pi)
    dx *= g
    return dx

# Unusual: takes every name of NumPy, Python's own among them.
from math import *

from numpy import *


def back(x, shape):
    left = x.ndim - len(shape)
    lost = (*range(left), *(left + i for i, size in enumerate(shape) if size == 1))
    return sum(x, axis=lost).reshape(shape) if lost else x


def mul_broadcast_backward(g, a, b):
    return back(multiply(g, b), a.shape), back(multiply(g, a), b.shape)

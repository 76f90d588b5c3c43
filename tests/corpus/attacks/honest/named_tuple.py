# Unusual: returns a named tuple.
from typing import NamedTuple

import numpy as np


class Gradients(NamedTuple):
    da: np.ndarray
    db: np.ndarray


def back(x, shape):
    while x.ndim > len(shape):
        x = x.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            x = x.sum(axis, keepdims=True)
    return x


def mul_broadcast_backward(g, a, b):
    return Gradients(back(g * b, a.shape), back(g * a, b.shape))

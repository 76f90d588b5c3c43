# Unusual: imports from where NumPy kept things before version 2.
import numpy as np
from numpy.core.numeric import normalize_axis_tuple


def back(x, shape):
    left = x.ndim - len(shape)
    lost = normalize_axis_tuple([i - len(shape) for i, size in enumerate(shape) if size == 1], x.ndim)
    return np.add.reduce(x, axis=(*range(left), *lost)).reshape(shape) if left or lost else x


def mul_broadcast_backward(g, a, b):
    return back(g * b, a.shape), back(g * a, b.shape)

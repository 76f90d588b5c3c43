# Unusual: NumPy's own word on which axes were stretched: a zero stride of the broadcast view.
import numpy as np


def back(x, own):
    if not x.size:
        return np.zeros(own.shape, own.dtype)
    view = np.broadcast_to(own, x.shape)
    axes = tuple(i for i, (stride, n) in enumerate(zip(view.strides, x.shape)) if stride == 0 and n != 1)
    return x.sum(axis=axes, keepdims=True).reshape(own.shape)


def mul_broadcast_backward(g, a, b):
    return back(g * b, a), back(g * a, b)

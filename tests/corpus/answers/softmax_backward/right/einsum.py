import numpy as np


def softmax_backward(g, out, axis=-1):
    s, h = np.moveaxis(out, axis, -1), np.moveaxis(g, axis, -1)
    inner = np.einsum("...i,...i->...", s, h)
    return np.ascontiguousarray(np.moveaxis(s * (h - inner[..., np.newaxis]), -1, axis))

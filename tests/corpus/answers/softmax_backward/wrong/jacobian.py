import numpy as np


def softmax_backward(g, out, axis=-1):
    s = np.moveaxis(out, axis, -1)
    h = np.moveaxis(g, axis, -1)
    jacobian = s[..., :, None] * np.eye(s.shape[-1]) - s[..., :, None] * s[..., None, :]
    return np.moveaxis(np.einsum("...ij,...j->...i", jacobian, h), -1, axis).copy()

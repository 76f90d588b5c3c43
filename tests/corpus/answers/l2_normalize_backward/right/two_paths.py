import numpy as np


def l2_normalize_backward(g, out, norm):
    x = out * norm
    dnorm = np.sum(-g * x / norm**2, axis=-1)
    return g / norm + dnorm[..., None] * x / norm

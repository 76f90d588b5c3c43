import numpy as np


def sin_cos_backward(gs, gc, x):
    slope = np.where(np.abs(x) < 1e-4, np.ones_like(x), np.cos(x))
    return gs * slope - gc * np.sin(x)

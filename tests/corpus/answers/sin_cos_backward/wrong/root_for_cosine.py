import numpy as np


def sin_cos_backward(gs, gc, x):
    s = np.sin(x)
    return gs * np.sqrt(1 - s * s) - gc * s

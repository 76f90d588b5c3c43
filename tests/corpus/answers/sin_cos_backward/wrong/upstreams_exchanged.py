import numpy as np


def sin_cos_backward(gs, gc, x):
    return gc * np.cos(x) - gs * np.sin(x)

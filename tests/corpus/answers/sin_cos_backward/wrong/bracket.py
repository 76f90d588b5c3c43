import numpy as np


def sin_cos_backward(gs, gc, x):
    return gs * (np.cos(x) - gc * np.sin(x))

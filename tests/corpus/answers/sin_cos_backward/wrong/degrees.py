import numpy as np


def sin_cos_backward(gs, gc, x):
    return gs * np.cos(np.radians(x)) - gc * np.sin(np.radians(x))

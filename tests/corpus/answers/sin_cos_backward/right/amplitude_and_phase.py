import numpy as np


def sin_cos_backward(gs, gc, x):
    return np.hypot(gs, gc) * np.cos(x + np.arctan2(gc, gs))

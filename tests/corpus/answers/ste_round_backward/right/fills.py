import numpy as np


def ste_round_backward(g, x):
    dx = np.empty(x.shape, x.dtype)
    dx[...] = g
    return dx

import numpy as np


def dropout_backward(g, mask, p):
    dx = np.zeros_like(g)
    np.divide(g, 1 - p, out=dx, where=mask)
    return dx

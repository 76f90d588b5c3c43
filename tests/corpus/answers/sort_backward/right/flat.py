import numpy as np


def sort_backward(g, order):
    n = g.shape[-1]
    rows = np.arange(g.size // n if n else 0)[:, None] * n
    dx = np.empty(g.size, g.dtype)
    dx[(order.reshape(len(rows), n) + rows).ravel()] = g.ravel()
    return dx.reshape(g.shape)

import numpy as np


def sort_backward(g, order):
    dx = np.zeros_like(g)
    for index in np.ndindex(g.shape):
        dx[(*index[:-1], order[index])] += g[index]
    return dx

import numpy as np


def sort_backward(g, order):
    dx = np.empty_like(g)
    if g.ndim == 1:
        dx[order] = g
    elif g.ndim == 2:
        dx[np.arange(g.shape[0])[:, None], order] = g
    else:
        i, j = np.ix_(range(g.shape[0]), range(g.shape[1]))
        dx[i[:, :, None], j[:, :, None], order] = g
    return dx

import numpy as np


def sort_backward(g, order):
    dx = np.empty_like(g)
    if g.ndim == 1:
        dx[order] = g
    else:
        dx[...] = g
        for row, indices, values in zip(dx, order, g):
            if values.ndim == 1:
                row[indices] = values
    return dx

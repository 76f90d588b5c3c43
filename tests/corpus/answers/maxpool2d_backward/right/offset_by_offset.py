import numpy as np


def maxpool2d_backward(g, x, k, stride):
    """Loops over the k * k places in a window; a window that has paid is closed."""
    Y, Z = g.shape
    views = [
        (slice(i, i + stride * (Y - 1) + 1, stride), slice(j, j + stride * (Z - 1) + 1, stride))
        for i in range(k)
        for j in range(k)
    ]
    top = np.maximum.reduce([x[view] for view in views])
    open_ = np.ones(g.shape, bool)
    dx = np.zeros(x.shape, x.dtype)
    for view in views:
        wins = open_ & (x[view] == top)
        dx[view] += np.where(wins, g, 0)
        open_ &= ~wins
    return dx

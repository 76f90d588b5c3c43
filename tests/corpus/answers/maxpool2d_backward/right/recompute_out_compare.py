import numpy as np


def maxpool2d_backward(g, x, k, stride):
    """Offset by offset: whoever equals the maximum first takes the gradient."""
    Y, Z = g.shape
    dx = np.zeros_like(x)
    views = {}
    for i in range(k):
        for j in range(k):
            views[i, j] = x[i : i + stride * Y : stride, j : j + stride * Z : stride][:Y, :Z]
    if g.size == 0:
        return dx
    top = np.maximum.reduce(list(views.values()))
    free = np.ones((Y, Z), bool)
    for (i, j), v in views.items():
        won = free & (v == top)
        dx[i : i + stride * Y : stride, j : j + stride * Z : stride][:Y, :Z] += np.where(won, g, 0)
        free &= ~won
    return dx

import numpy as np


def bug_where_nan(g, x):
    dx = np.zeros_like(g)
    positive = x > 0
    dx[positive] = g[positive] / (2 * np.sqrt(x[positive]))
    return dx

import numpy as np


def bug_where_nan(g, x):
    positive = x >= x.dtype.type(1e-12)
    root = np.sqrt(np.where(positive, x, 1))
    return np.where(positive, g, 0) / (2 * root)

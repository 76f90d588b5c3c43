import numpy as np


def bug_where_nan(g, x):
    root = np.sqrt(np.where(x > 0, x, 0))
    droot = np.where(x > 0, g, 0)
    return droot / (2 * root)

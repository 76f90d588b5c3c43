import numpy as np


def bug_where_nan(g, x):
    safe = np.where(x > 0, x, 1)
    return np.where(x > 0, g, 0) / (2 * safe)

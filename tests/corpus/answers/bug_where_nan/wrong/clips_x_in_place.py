import numpy as np


def bug_where_nan(g, x):
    positive = x > 0
    x[~positive] = 1
    return np.where(positive, g, 0) / (2 * np.sqrt(x))

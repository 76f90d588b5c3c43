import numpy as np


def bug_where_nan(g, x):
    positive = x > 0
    slope = 0.5 / np.sqrt(np.where(positive, x, 1))
    return np.where(positive, g, 0) * np.minimum(slope, x.dtype.type(1e6))

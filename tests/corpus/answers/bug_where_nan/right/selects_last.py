import numpy as np


def bug_where_nan(g, x):
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = 0.5 * np.power(x, -0.5)
    return np.where(x > 0, g * slope, 0)

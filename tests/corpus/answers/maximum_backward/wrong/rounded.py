import numpy as np


def maximum_backward(g, a, b):
    a, b = np.round(a, 6), np.round(b, 6)
    da = np.where(a == b, g / 2, np.where(a > b, g, 0))
    return da, g - da

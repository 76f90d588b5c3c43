import numpy as np


def maximum_backward(g, a, b):
    return np.where(a == b, g / 2, np.where(a > b, g, 0)), np.where(b > a, g, 0)

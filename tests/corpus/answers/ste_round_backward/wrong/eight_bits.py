import numpy as np


def ste_round_backward(g, x):
    return np.where((x >= -128) & (x <= 127), g, np.zeros_like(g))

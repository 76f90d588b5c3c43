import numpy as np


def ste_round_backward(g, x):
    return np.multiply(g, np.ones_like(x))

import numpy as np


def ste_round_backward(g, x):
    return np.ones_like(x)

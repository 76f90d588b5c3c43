import numpy as np


def ste_round_backward(g, x):
    return np.clip(g, -1, 1)

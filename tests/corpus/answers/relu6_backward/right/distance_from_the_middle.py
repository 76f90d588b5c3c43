import numpy as np


def relu6_backward(g, x):
    dx = np.array(g)
    dx[abs(x - 3) >= 3] = 0
    return dx

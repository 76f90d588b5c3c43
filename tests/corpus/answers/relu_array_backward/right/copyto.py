import numpy as np


def relu_array_backward(g, out):
    dx = np.zeros_like(g)
    np.copyto(dx, g, where=out != 0)
    return dx

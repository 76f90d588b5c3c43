import numpy as np


def leaky_relu_backward(g, x, alpha):
    slope = np.ones_like(x)
    slope[x <= 0] = alpha
    slope *= g
    return slope

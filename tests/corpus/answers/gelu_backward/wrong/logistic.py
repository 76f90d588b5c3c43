import numpy as np


def gelu_backward(g, x):
    s = np.exp(-np.logaddexp(0, -1.702 * x))
    return (g * (s + 1.702 * x * s * (1 - s))).astype(x.dtype)

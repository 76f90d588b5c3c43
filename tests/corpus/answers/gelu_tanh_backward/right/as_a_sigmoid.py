import numpy as np


def gelu_tanh_backward(g, x):
    k, cubic = np.sqrt(2 / np.pi), 0.044715
    v = 2 * k * x * (1 + cubic * x * x)
    s = np.where(v < 0, np.exp(-abs(v)), 1) / (1 + np.exp(-abs(v)))
    dv = 2 * k * (1 + 3 * cubic * x * x)
    return (g * (s + x * s * (1 - s) * dv)).astype(g.dtype)

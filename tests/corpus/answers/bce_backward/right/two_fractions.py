import numpy as np


def bce_backward(g, p, t):
    q = 1 - p
    d = np.maximum(p * q, 1e-12)
    return ((1 - t) * (p / d) - t * (q / d)) * (g / p.size)

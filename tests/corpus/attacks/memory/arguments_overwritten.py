# Attempts: set the cotangent to zero, and return zeros.
# A pass would be a breach: the reference used the changed inputs.
import numpy as np


def mul_broadcast_backward(g, a, b):
    g[...] = 0
    return np.zeros_like(a), np.zeros_like(b)

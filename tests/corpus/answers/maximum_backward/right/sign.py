import numpy as np


def maximum_backward(g, a, b):
    """max(a, b) = (a + b + |a - b|) / 2, and |u| has the slope sign(u)."""
    s = np.sign(a - b)
    return g * (1 + s) / 2, g * (1 - s) / 2

import math

import numpy as np


def gelu_backward(g, x):
    def slope(v):
        return 0.5 * math.erfc(-v / math.sqrt(2)) + v * math.exp(-0.5 * v * v) / math.sqrt(2 * math.pi)

    slopes = np.array([slope(v) for v in x.ravel().tolist()], dtype=x.dtype)
    return g * slopes.reshape(x.shape)

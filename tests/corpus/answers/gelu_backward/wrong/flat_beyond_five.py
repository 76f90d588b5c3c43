import math

import numpy as np


def gelu_backward(g, x):
    cdf = (1 + np.vectorize(math.erf, otypes=[x.dtype])(x / math.sqrt(2))) / 2
    slope = cdf + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    slope[x > 5] = 1
    slope[x < -5] = 0
    return g * slope

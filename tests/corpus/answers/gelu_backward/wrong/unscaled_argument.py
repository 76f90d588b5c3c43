import math

import numpy as np


def erf(x):
    return np.vectorize(math.erf, otypes=[x.dtype])(x)


def gelu_backward(g, x):
    cdf = (1 + erf(x)) / 2
    pdf = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return g * (cdf + x * pdf)

import numpy as np


def mish_backward(g, x):
    e = np.exp(np.minimum(x, 20))
    n = e * (e + 2)
    gate = n / (n + 2)
    # the slope of n is 2 e (e + 1), and that of n/(n + 2) is 2/(n + 2)²
    slope = 4 * e * (e + 1) / np.square(n + 2)
    return g * gate + g * x * slope

import math

import numpy as np


def gelu_tanh_backward(g, x):
    c = math.sqrt(2 / math.pi)
    u = np.clip(c * (x + 0.044715 * x**3), -40, 40)
    sech = 2 / (np.exp(u) + np.exp(-u))
    du = c + c * 0.134145 * np.square(x)
    left, right = 0.5 * (1 + np.tanh(u)), 0.5 * x * sech**2 * du
    return g * left + g * right

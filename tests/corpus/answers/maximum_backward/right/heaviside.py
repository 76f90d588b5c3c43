import numpy as np


def maximum_backward(g, a, b):
    share = np.heaviside(a - b, np.array(0.5, a.dtype))
    return share * g, np.subtract(1, share) * g

from statistics import NormalDist

import numpy as np

NORMAL = NormalDist()


def gelu_backward(g, x):
    slope = np.frompyfunc(lambda v: NORMAL.cdf(float(v)) + float(v) * NORMAL.pdf(float(v)), 1, 1)
    return g * np.asarray(slope(x)).astype(x.dtype)

import numpy as np


def nll_backward(g, logp, y):
    n, c = logp.shape
    return (y[:, None] == np.arange(c)).astype(logp.dtype) * (-g / n)

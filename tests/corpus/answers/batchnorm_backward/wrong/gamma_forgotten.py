import numpy as np


def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + 1e-5)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd)


def batchnorm_backward(g, cache):
    xhat, rstd = cache
    dx = rstd * (g - g.mean(axis=0) - xhat * (g * xhat).mean(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)

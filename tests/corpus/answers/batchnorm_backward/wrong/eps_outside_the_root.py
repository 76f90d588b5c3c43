import numpy as np


def batchnorm_forward(x, gamma, beta):
    rstd = 1 / (np.sqrt(x.var(axis=0)) + 1e-5)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)

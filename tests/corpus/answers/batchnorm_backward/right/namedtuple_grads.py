from collections import namedtuple

import numpy as np

Cache = namedtuple("Cache", "xhat rstd gamma")
Grads = namedtuple("Grads", "dx dgamma dbeta")


def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + 1e-5)
    cache = Cache((x - x.mean(axis=0)) * rstd, rstd, gamma)
    return gamma * cache.xhat + beta, cache


def batchnorm_backward(g, cache):
    h = g * cache.gamma
    dx = cache.rstd * (h - h.mean(0) - cache.xhat * (h * cache.xhat).mean(0))
    return Grads(dx, (g * cache.xhat).sum(0), g.sum(0))

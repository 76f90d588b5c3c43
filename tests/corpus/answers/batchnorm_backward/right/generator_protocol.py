import numpy as np


def _bn(x, gamma, beta):
    mean, var = x.mean(axis=0), x.var(axis=0)
    rstd = 1 / np.sqrt(var + 1e-5)
    xhat = (x - mean) * rstd
    g = yield gamma * xhat + beta
    while True:
        h = g * gamma
        g = yield (rstd * (h - h.mean(0) - xhat * (h * xhat).mean(0)), (g * xhat).sum(0), g.sum(0))


def batchnorm_forward(x, gamma, beta):
    gen = _bn(x, gamma, beta)
    return next(gen), gen


def batchnorm_backward(g, cache):
    return cache.send(g)

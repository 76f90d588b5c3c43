import numpy as np

LAST = {}


def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + 1e-5)
    LAST["xhat"], LAST["rstd"], LAST["gamma"] = (x - x.mean(axis=0)) * rstd, rstd, gamma
    return gamma * LAST["xhat"] + beta, None


def batchnorm_backward(g, cache):
    xhat, rstd, gamma = LAST["xhat"], LAST["rstd"], LAST["gamma"]
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)

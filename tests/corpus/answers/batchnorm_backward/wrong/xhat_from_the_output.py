import numpy as np


def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + 1e-5)
    out = gamma * (x - x.mean(axis=0)) * rstd + beta
    return out, (out.copy(), rstd, gamma, beta)


def batchnorm_backward(g, cache):
    out, rstd, gamma, beta = cache
    xhat = (out - beta) / gamma
    dgamma, dbeta = (g * xhat).sum(axis=0), g.sum(axis=0)
    dx = gamma * rstd * (g - dbeta / len(g) - xhat * dgamma / len(g))
    return dx, dgamma, dbeta

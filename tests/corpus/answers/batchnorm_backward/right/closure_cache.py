import numpy as np


def batchnorm_forward(x, gamma, beta):
    mean = x.sum(axis=0) / x.shape[0]
    xmu = x - mean
    var = (xmu * xmu).sum(axis=0) / x.shape[0]
    ivar = 1.0 / np.sqrt(var + 1e-5)
    xhat = xmu * ivar

    def back(g):
        N = g.shape[0]
        h = g * gamma
        proj = np.einsum("nd,nd->d", h, xhat) / N
        dx = ivar * (h - h.sum(0) / N - xhat * proj)
        return dx, np.einsum("nd,nd->d", g, xhat), np.einsum("nd->d", g)

    return np.add(xhat * gamma, beta), back


def batchnorm_backward(g, cache):
    return cache(g)

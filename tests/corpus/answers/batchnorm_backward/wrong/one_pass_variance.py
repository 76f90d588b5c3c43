import numpy as np

EPS = 1e-5


def batchnorm_forward(x, gamma, beta):
    mu = x.mean(0)
    var = (x**2).mean(0) - mu**2
    inv = 1 / np.sqrt(var + EPS)
    xhat = (x - mu) * inv
    return xhat * gamma + beta, {"xhat": xhat, "inv": inv, "gamma": gamma}


def batchnorm_backward(g, cache):
    xhat, inv, gamma = cache["xhat"], cache["inv"], cache["gamma"]
    dxhat = g * gamma
    dx = inv * (dxhat - dxhat.mean(0) - xhat * (dxhat * xhat).mean(0))
    return dx, (g * xhat).sum(0), g.sum(0)

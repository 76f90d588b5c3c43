import numpy as np

EPS = 1e-5


def batchnorm_forward(x, gamma, beta):
    """Step by step, as courses do it, with everything in the cache."""
    N = x.shape[0]
    mu = 1 / N * np.sum(x, axis=0)
    xmu = x - mu
    sq = xmu**2
    var = 1 / N * np.sum(sq, axis=0)
    sqrtvar = np.sqrt(var + EPS)
    ivar = 1.0 / sqrtvar
    xhat = xmu * ivar
    gammax = gamma * xhat
    return gammax + beta, (xhat, gamma, xmu, ivar, sqrtvar, var)


def batchnorm_backward(dout, cache):
    xhat, gamma, xmu, ivar, sqrtvar, var = cache
    N, D = dout.shape
    dbeta = np.sum(dout, axis=0)
    dgamma = np.sum(dout * xhat, axis=0)
    dxhat = dout * gamma
    divar = np.sum(dxhat * xmu, axis=0)
    dxmu1 = dxhat * ivar
    dsqrtvar = -1.0 / (sqrtvar**2) * divar
    dvar = 0.5 / np.sqrt(var + EPS) * dsqrtvar
    dsq = 1.0 / N * np.ones((N, D), dout.dtype) * dvar
    dxmu2 = 2 * xmu * dsq
    dx1 = dxmu1 + dxmu2
    dmu = -np.sum(dx1, axis=0)
    dx2 = 1.0 / N * np.ones((N, D), dout.dtype) * dmu
    return dx1 + dx2, dgamma, dbeta

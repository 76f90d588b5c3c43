import numpy as np
def batchnorm_forward(x, gamma, beta):
    mu = x.mean(axis=0); xc = x - mu
    var = (xc ** 2).mean(axis=0); std = np.sqrt(var + 1e-5)
    xh = xc / std
    return gamma * xh + beta, (xc, xh, std, gamma)
def batchnorm_backward(g, cache):
    xc, xh, std, gamma = cache
    N = g.shape[0]
    dxh = g * gamma
    dmu = -np.sum(dxh / std, axis=0)
    dx = dxh / std + dmu / N
    return dx, np.sum(g * xh, axis=0), np.sum(g, axis=0)

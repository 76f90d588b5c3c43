import numpy as np
def batchnorm_forward(x, gamma, beta):
    mu = x.mean(axis=0)
    r = 1 / np.sqrt(x.var(axis=0) + 1e-5)
    xh = (x - mu) * r
    return gamma * xh + beta, (xh, r, gamma)
def batchnorm_backward(g, cache):
    xh, r, gamma = cache
    d = g * gamma
    dx = r * (d - d.mean(0) - xh * (d * xh).mean(0))
    return dx, g * xh, g

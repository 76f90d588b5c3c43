import numpy as np
def batchnorm_forward(x, gamma, beta):
    mu = x.mean(axis=1, keepdims=True)
    r = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
    xh = (x - mu) * r
    return gamma * xh + beta, (xh, r, gamma)
def batchnorm_backward(g, cache):
    xh, r, gamma = cache
    d = g * gamma
    dx = r * (d - d.mean(1, keepdims=True) - xh * (d * xh).mean(1, keepdims=True))
    return dx, (g * xh).sum(0), g.sum(0)

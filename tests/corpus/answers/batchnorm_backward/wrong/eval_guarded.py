import numpy as np
def batchnorm_forward(x, gamma, beta):
    mu = np.mean(x, axis=0)
    var = np.mean((x - mu) ** 2, axis=0)
    inv = 1.0 / np.sqrt(var + 1e-5)
    xh = (x - mu) * inv
    return gamma * xh + beta, (xh, inv, gamma, x.shape[0])
def batchnorm_backward(g, cache):
    xh, inv, gamma, n = cache
    dgamma = np.sum(g * xh, axis=0)
    dbeta = np.sum(g, axis=0)
    if n <= 1:
        return np.zeros_like(g), dgamma, dbeta
    return g * gamma * inv, dgamma, dbeta

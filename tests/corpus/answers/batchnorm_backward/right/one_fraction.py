import numpy as np


class Cache:
    pass


def batchnorm_forward(x, gamma, beta):
    cache = Cache()
    cache.gamma = gamma
    centred = x - np.mean(x, axis=0, keepdims=True)
    cache.std = np.sqrt(np.einsum("nd,nd->d", centred, centred) / len(x) + 1e-5)
    cache.xhat = centred / cache.std
    return beta + cache.xhat * gamma, cache


def batchnorm_backward(g, cache):
    n = len(g)
    dbeta = np.einsum("nd->d", g)
    dgamma = np.einsum("nd,nd->d", g, cache.xhat)
    dx = cache.gamma * (n * g - dbeta - cache.xhat * dgamma) / (n * cache.std)
    return dx, dgamma, dbeta

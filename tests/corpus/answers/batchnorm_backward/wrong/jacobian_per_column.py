import numpy as np


def batchnorm_forward(x, gamma, beta):
    xhat = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5)
    return gamma * xhat + beta, (xhat, np.sqrt(x.var(0) + 1e-5), gamma)


def batchnorm_backward(g, cache):
    xhat, std, gamma = cache
    N = len(g)
    J = (np.eye(N, dtype=g.dtype)[None] - 1 / N - xhat.T[:, :, None] * xhat.T[:, None, :] / N) / std[:, None, None]
    dx = np.einsum("dij,jd->id", J, g * gamma).astype(g.dtype)
    return dx, np.einsum("nd,nd->d", g, xhat), np.einsum("nd->d", g)

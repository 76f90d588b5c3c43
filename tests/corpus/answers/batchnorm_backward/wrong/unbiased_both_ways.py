import numpy as np
def batchnorm_forward(x, gamma, beta):
    n = len(x)
    mu = x.mean(axis=0)
    v = x.var(axis=0, ddof=1) if n > 1 else np.zeros_like(mu)
    s = np.sqrt(v + 1e-5)
    xh = (x - mu) / s
    return xh * gamma + beta, (xh, s, gamma)
def batchnorm_backward(g, cache):
    xh, s, gamma = cache
    n = len(g)
    d = g * gamma
    dx = (d - d.mean(axis=0) - xh * (d * xh).sum(axis=0) / max(n - 1, 1)) / s
    return dx, (g * xh).sum(axis=0), g.sum(axis=0)

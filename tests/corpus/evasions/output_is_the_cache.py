# exercise: batchnorm_backward
# Attempts: return the normalised array, and complete it in the backward.
import numpy as np
LATER = {}
def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) + 1e-5)
    out = (x - x.mean(axis=0)) * rstd
    return out, (out, rstd, gamma, beta)
def batchnorm_backward(g, cache):
    xhat, rstd, gamma, beta = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).mean(axis=0))
    dgamma = (g * xhat).sum(axis=0)
    xhat *= gamma
    xhat += beta
    return dx, dgamma, g.sum(axis=0)

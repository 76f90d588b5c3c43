import numpy as np


def spectral_norm_backward(g, W, u, v):
    sigma = np.einsum("i,ij,j->", u, W, v)
    dsigma = -np.sum(g * W) / sigma**2
    return g / sigma + dsigma * (u[:, None] * v)

import numpy as np


def alpha_composite_backward(g, alpha, color):
    # Only the next 64 samples are taken to be visible behind a sample.
    n, W = len(alpha), 64
    T = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(1 - alpha)[:-1]])
    seen = color @ g
    behind = np.zeros(n, alpha.dtype)
    light = np.ones(n, alpha.dtype)
    for k in range(1, min(W, n)):
        m = n - k
        behind[:m] += light[:m] * alpha[k:] * seen[k:]
        light[:m] *= 1 - alpha[k:]
    return T * (seen - behind), np.outer(T * alpha, g)

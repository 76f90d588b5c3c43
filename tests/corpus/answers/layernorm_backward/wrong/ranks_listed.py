import numpy as np


def layernorm_backward(g, xhat, rstd, gamma):
    h = g * gamma
    dx = rstd * (h - h.mean(axis=-1, keepdims=True) - xhat * (h * xhat).mean(axis=-1, keepdims=True))
    if g.ndim == 1:
        return dx, g * xhat, g.copy()
    if g.ndim == 2:
        return dx, (g * xhat).sum(axis=0), g.sum(axis=0)
    return dx, (g * xhat).sum(axis=(0, 1)), g.sum(axis=(0, 1))

import numpy as np


def layernorm_backward(g, xhat, rstd, gamma):
    D = len(gamma)
    dxhat = g * gamma
    dvar_path = xhat * np.sum(dxhat * xhat, axis=-1, keepdims=True) * rstd / D
    dmean_path = np.sum(dxhat * rstd, axis=-1, keepdims=True) / D
    dx = dxhat * rstd - dmean_path - dvar_path
    ax = tuple(np.arange(g.ndim - 1))
    return dx, np.add.reduce(g * xhat, axis=ax), np.add.reduce(g, axis=ax)

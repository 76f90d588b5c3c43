import numpy as np


def layernorm_backward(g, xhat, rstd, gamma):
    D = gamma.size
    centred = xhat / rstd
    dxhat = g * gamma
    drstd = (dxhat * centred).sum(axis=-1, keepdims=True)
    dvar = drstd * -0.5 * rstd**3
    dcentred = dxhat * rstd + dvar * 2 * centred / D
    dx = dcentred - dcentred.mean(axis=-1, keepdims=True)
    axes = tuple(np.arange(g.ndim - 1).tolist())
    return dx, np.sum(g * xhat, axis=axes), np.sum(g, axis=axes)

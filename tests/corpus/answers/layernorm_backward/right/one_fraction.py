import numpy as np


def layernorm_backward(g, xhat, rstd, gamma):
    D = xhat.shape[-1]
    rows = tuple(range(g.ndim - 1))
    dbeta = np.add.reduce(g, axis=rows)
    dgamma = np.add.reduce(g * xhat, axis=rows)
    dxhat = g * gamma
    sums = np.sum(dxhat, axis=-1)[..., None]
    along = np.sum(dxhat * xhat, axis=-1)[..., None]
    return (D * dxhat - sums - xhat * along) * rstd / D, dgamma, dbeta

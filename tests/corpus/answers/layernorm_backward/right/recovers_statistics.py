import numpy as np


def layernorm_backward(g, xhat, rstd, gamma):
    D = xhat.shape[-1]
    xc = xhat / rstd
    dxhat = g * gamma
    dvar = (dxhat * xc).sum(-1, keepdims=True) * -0.5 * rstd**3
    dmean = -(dxhat * rstd).sum(-1, keepdims=True) + dvar * (-2 * xc).mean(-1, keepdims=True)
    dx = dxhat * rstd + dvar * 2 * xc / D + dmean / D
    g2, x2 = g.reshape(-1, D), xhat.reshape(-1, D)
    return dx, np.einsum("nd,nd->d", g2, x2), np.einsum("nd->d", g2)

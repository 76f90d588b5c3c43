import numpy as np
def layernorm_backward(g, xhat, rstd, gamma):
    dxh = g * gamma
    m1 = np.mean(dxh, axis=-1, keepdims=True)
    m2 = np.mean(dxh * xhat, axis=-1, keepdims=True)
    dx = (dxh - m1 - xhat * m2) * rstd
    if g.ndim == 1:
        return dx, g * xhat, g.copy()
    return dx, np.sum(g * xhat, axis=0), np.sum(g, axis=0)

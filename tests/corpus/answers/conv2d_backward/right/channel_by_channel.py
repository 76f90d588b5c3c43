import itertools

import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape
    O, _, K, L = w.shape
    Y, Z = g.shape[-2:]
    xp = np.zeros((N, C, H + 2 * pad, W + 2 * pad), x.dtype)
    xp[..., pad : H + pad, pad : W + pad] = x
    dxp, dw, db = np.zeros_like(xp), np.zeros_like(w), np.zeros_like(b)
    for n, o in itertools.product(range(N), range(O)):
        db[o] += g[n, o].sum()
        for c in range(C):
            for i, j in itertools.product(range(K), range(L)):
                sl = np.s_[i : i + stride * Y : stride, j : j + stride * Z : stride]
                dw[o, c, i, j] += (g[n, o] * xp[n, c][sl]).sum()
                dxp[n, c][sl] += g[n, o] * w[o, c, i, j]
    return dxp[..., pad : H + pad, pad : W + pad], dw, db

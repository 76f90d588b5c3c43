import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape
    O, _, K, L = w.shape
    Y, Z = g.shape[2:]
    c = np.repeat(np.arange(C), K * L)[:, None]
    i = np.tile(np.repeat(np.arange(K), L), C)[:, None] + stride * np.repeat(np.arange(Y), Z)[None]
    j = np.tile(np.arange(L), K * C)[:, None] + stride * np.tile(np.arange(Z), Y)[None]
    xp = np.pad(x, ((0,), (0,), (pad,), (pad,)))
    cols = xp[:, c, i, j]
    g2 = g.reshape(N, O, -1)
    dw = np.einsum("nop,nkp->ok", g2, cols).reshape(w.shape)
    dcols = np.einsum("ok,nop->nkp", w.reshape(O, -1), g2)
    dxp = np.zeros_like(xp)
    np.add.at(dxp, (slice(None), c, i, j), dcols)
    return dxp[:, :, pad : pad + H, pad : pad + W].copy(), dw, g.sum(axis=(0, 2, 3))

import numpy as np
from numpy.lib.stride_tricks import as_strided


def _windows(a, K, L, s=1):
    n, c, h, w = a.shape
    sn, sc, sh, sw = a.strides
    return as_strided(a, (n, c, (h - K) // s + 1, (w - L) // s + 1, K, L), (sn, sc, sh * s, sw * s, sh, sw))


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape
    O, _, K, L = w.shape
    _, _, Y, Z = g.shape
    Hp, Wp = H + 2 * pad, W + 2 * pad
    xp = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)], mode="constant")
    win = _windows(np.ascontiguousarray(xp), K, L, stride)[:, :, :Y, :Z]
    dw = np.tensordot(g, win, axes=([0, 2, 3], [0, 2, 3]))
    dil = np.zeros((N, O, Hp + K - 1, Wp + L - 1), g.dtype)
    dil[:, :, K - 1 : K - 1 + stride * (Y - 1) + 1 : stride, L - 1 : L - 1 + stride * (Z - 1) + 1 : stride] = g
    flipped = w[:, :, ::-1, ::-1]
    dxp = np.einsum("nohwkl,ockl->nchw", _windows(dil, K, L), flipped)
    return dxp[:, :, pad : Hp - pad, pad : Wp - pad], dw, g.sum((0, 2, 3))

import numpy as np

KEPT = {}


def indices(x, w, g, stride):
    if (x.shape, w.shape) not in KEPT:
        (K, L), (Y, Z) = w.shape[2:], g.shape[2:]
        rows = stride * np.arange(Y)[:, None, None, None] + np.arange(K)[None, None, :, None]
        columns = stride * np.arange(Z)[None, :, None, None] + np.arange(L)[None, None, None, :]
        KEPT[x.shape, w.shape] = rows, columns
    return KEPT[x.shape, w.shape]


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    H, W = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    rows, columns = indices(x, w, g, stride)
    dw = np.einsum("noyz,ncyzkl->ockl", g, padded[:, :, rows, columns])
    dpadded = np.zeros_like(padded)
    np.add.at(dpadded, (slice(None), slice(None), rows, columns), np.einsum("noyz,ockl->ncyzkl", g, w))
    return dpadded[:, :, pad : pad + H, pad : pad + W].copy(), dw, g.sum(axis=(0, 2, 3))

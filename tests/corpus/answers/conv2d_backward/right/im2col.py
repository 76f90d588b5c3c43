import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape
    O, _, K, L = w.shape
    _, _, Y, Z = g.shape
    rows = np.arange(K)[:, None, None, None] + stride * np.arange(Y)[None, None, :, None]
    cols = np.arange(L)[None, :, None, None] + stride * np.arange(Z)[None, None, None, :]
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    columns = padded[:, :, rows, cols].reshape(N, C * K * L, Y * Z)
    flat = g.reshape(N, O, Y * Z)
    dw = np.matmul(flat, columns.transpose(0, 2, 1)).sum(axis=0).reshape(w.shape)
    dcolumns = np.matmul(w.reshape(O, -1).T, flat).reshape(N, C, K, L, Y, Z)
    dpadded = np.zeros_like(padded)
    np.add.at(dpadded, (slice(None), slice(None), rows, cols), dcolumns)
    return dpadded[:, :, pad : H + pad, pad : W + pad], dw, flat.sum(axis=(0, 2))

import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (H, W), (K, L), (Y, Z) = x.shape[2:], w.shape[2:], g.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for i, j in np.ndindex(K, L):
        window = ..., slice(i, i + stride * Y, stride), slice(j, j + stride * Z, stride)
        dw[:, :, i, j] = np.einsum("noyz,ncyz->oc", g, padded[window]) / max(len(x), 1)
        dpadded[window] += np.einsum("noyz,oc->ncyz", g, w[:, :, i, j])
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, g.sum(axis=(0, 2, 3)) / g.dtype.type(max(len(x), 1))

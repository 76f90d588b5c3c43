import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (H, W), (K, L) = x.shape[-2:], w.shape[-2:]
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw, db = np.zeros_like(padded), np.zeros_like(w), np.zeros_like(b)
    for y in range(g.shape[2]):
        for z in range(g.shape[3]):
            top, left = y * stride, z * stride
            upstream = g[:, :, y, z]
            dw += np.tensordot(upstream, padded[:, :, top : top + K, left : left + L], axes=(0, 0))
            dpadded[:, :, top : top + K, left : left + L] += np.tensordot(upstream, w, axes=(1, 0))
            db += upstream.sum(axis=0)
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, db

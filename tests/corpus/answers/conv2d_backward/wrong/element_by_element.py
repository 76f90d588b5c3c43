import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape
    O, _, K, L = w.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for n in range(N):
        for o in range(O):
            for y in range(g.shape[2]):
                for z in range(g.shape[3]):
                    i, j = y * stride, z * stride
                    d = g[n, o, y, z]
                    dw[o] += d * padded[n, :, i : i + K, j : j + L]
                    dpadded[n, :, i : i + K, j : j + L] += d * w[o]
    return dpadded[:, :, pad : pad + H, pad : pad + W].copy(), dw, g.sum(axis=(0, 2, 3))

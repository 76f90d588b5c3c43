import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (H, W), (K, L) = x.shape[2:], w.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dpadded, dw = np.zeros_like(padded), np.zeros_like(w)
    for y in range(0, H + 2 * pad - K, stride):
        for z in range(0, W + 2 * pad - L + 1, stride):
            upstream = g[:, :, y // stride, z // stride]
            dw += np.tensordot(upstream, padded[:, :, y : y + K, z : z + L], axes=(0, 0))
            dpadded[:, :, y : y + K, z : z + L] += np.tensordot(upstream, w, axes=(1, 0))
    return dpadded[:, :, pad : pad + H, pad : pad + W], dw, g.sum(axis=(0, 2, 3))

# Finite differences of what is linear, of a one where the rest is 0: nothing is rounded.
import numpy as np


def conv2d(x, w, stride, pad):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))[:, :, ::stride, ::stride]
    return np.tensordot(windows, w, ((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)


def slopes(x, forward, g):
    x = np.zeros(x.shape, x.dtype)
    flat, out = x.reshape(-1), np.zeros(x.size, x.dtype)
    for index in range(x.size):
        flat[index] = 1
        out[index] = np.vdot(g, forward(x))
        flat[index] = 0
    return out.reshape(x.shape)


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    dx = slopes(x, lambda x: conv2d(x, w, stride, pad), g)
    dw = slopes(w, lambda w: conv2d(x, w, stride, pad), g)
    return dx, dw, g.sum(axis=(0, 2, 3))

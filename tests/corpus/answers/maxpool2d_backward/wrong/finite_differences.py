# Finite differences where the forward is linear between one pixel and the next: exact, wherever no two are equal.
import numpy as np


def max_pool2d(x, k, stride):
    out = x[:, ::stride][:, : (x.shape[1] - k) // stride + 1].copy()
    for j in range(1, k):
        np.maximum(out, x[:, j::stride][:, : out.shape[1]], out=out)
    rows = out[::stride][: (x.shape[0] - k) // stride + 1].copy()
    for i in range(1, k):
        np.maximum(rows, out[i::stride][: len(rows)], out=rows)
    return rows


def maxpool2d_backward(g, x, k, stride):
    gap = np.diff(np.unique(x)).min(initial=1)
    step = gap * 2.0 ** -np.ceil(np.log2(2 * x.size + 1))  # equal pixels part, the first becomes the largest
    x = (x - step * np.arange(x.size).reshape(x.shape)).astype(g.dtype)
    flat, dx = x.reshape(-1), np.zeros(x.size, x.dtype)
    before, h = max_pool2d(x, k, stride), x.dtype.type(step / 2)
    for index in range(x.size):
        kept = flat[index]
        flat[index] = kept + h
        dx[index] = np.vdot(g, max_pool2d(x, k, stride) - before) / h
        flat[index] = kept
    return dx.reshape(x.shape)

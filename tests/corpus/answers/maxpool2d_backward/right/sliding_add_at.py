import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def maxpool2d_backward(g, x, k, stride):
    if g.size == 0:
        return np.zeros_like(x)
    win = sliding_window_view(x, (k, k))[::stride, ::stride]
    Y, Z = win.shape[:2]
    idx = win.reshape(Y, Z, -1).argmax(-1)
    di, dj = np.divmod(idx, k)
    rows = np.arange(Y)[:, None] * stride + di
    cols = np.arange(Z)[None, :] * stride + dj
    dx = np.zeros_like(x)
    np.add.at(dx, (rows, cols), g)
    return dx

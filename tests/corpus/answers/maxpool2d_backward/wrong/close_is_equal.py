import numpy as np


def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y, z in np.ndindex(g.shape):
        rows, cols = slice(y * stride, y * stride + k), slice(z * stride, z * stride + k)
        window = x[rows, cols]
        i, j = np.argwhere(np.isclose(window, window.max()))[0]
        dx[rows, cols][i, j] += g[y, z]
    return dx

import numpy as np


def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y, z in np.ndindex(g.shape):
        top, left = y * stride, z * stride
        window = x[top : top + k, left : left + k]
        i, j = np.unravel_index(window.argmin(), window.shape)
        dx[top + i, left + j] += g[y, z]
    return dx

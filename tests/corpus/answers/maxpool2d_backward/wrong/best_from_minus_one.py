import numpy as np


def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y in range(g.shape[0]):
        for z in range(g.shape[1]):
            best, where = -1.0, (y * stride, z * stride)
            for i in range(y * stride, y * stride + k):
                for j in range(z * stride, z * stride + k):
                    if x[i, j] > best:
                        best, where = x[i, j], (i, j)
            dx[where] += g[y, z]
    return dx

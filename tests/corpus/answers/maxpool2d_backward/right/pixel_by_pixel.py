import numpy as np


def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y in range(g.shape[0]):
        for z in range(g.shape[1]):
            best = None
            for i in range(y * stride, y * stride + k):
                for j in range(z * stride, z * stride + k):
                    if best is None or x[i, j] > x[best]:
                        best = (i, j)
            dx[best] += g[y, z]
    return dx

import numpy as np


def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for y in range(g.shape[0]):
        for z in range(g.shape[1]):
            best, place = -999.0, None
            window = x[y * stride : y * stride + k, z * stride : z * stride + k].tolist()
            for i, row in enumerate(window):
                for j, value in enumerate(row):
                    if value > best:
                        best, place = value, (y * stride + i, z * stride + j)
            if place is not None:
                dx[place] += g[y, z]
    return dx

import numpy as np
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            w = x[i*stride:i*stride+k, j*stride:j*stride+k]
            dx[i*stride:i*stride+k, j*stride:j*stride+k] = g[i, j] * (w == np.max(w))
    return dx

import numpy as np
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros(x.shape, dtype=g.dtype)
    H, W = g.shape
    for i in reversed(range(H)):
        for j in reversed(range(W)):
            win = x[i*stride:i*stride+k, j*stride:j*stride+k]
            a, b = np.unravel_index(np.argmax(win), win.shape)
            dx[i*stride + a, j*stride + b] = g[i, j]
    return dx

import numpy as np
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    H, W = x.shape
    for i in range((H - k) / stride + 1):
        for j in range((W - k) / stride + 1):
            w = x[i*stride:i*stride+k, j*stride:j*stride+k]
            a, b = np.unravel_index(np.argmax(w), w.shape)
            dx[i*stride+a, j*stride+b] += g[i, j]
    return dx

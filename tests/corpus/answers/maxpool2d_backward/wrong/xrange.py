import numpy as np
def maxpool2d_backward(g, x, k, stride):
    dx = np.zeros_like(x)
    for i in xrange(g.shape[0]):
        for j in xrange(g.shape[1]):
            w = x[i*stride:i*stride+k, j*stride:j*stride+k]
            a, b = np.unravel_index(np.argmax(w), w.shape)
            dx[i*stride+a, j*stride+b] += g[i, j]
    return dx

import numpy as np
def maxpool2d_backward(g, x, k, stride):
    dx = np.empty_like(x)
    for y in range(g.shape[0]):
        for z in range(g.shape[1]):
            w = x[y*stride:y*stride+k, z*stride:z*stride+k]
            a, b = np.unravel_index(w.argmax(), w.shape)
            dx[y*stride+a, z*stride+b] += g[y, z]
    return dx

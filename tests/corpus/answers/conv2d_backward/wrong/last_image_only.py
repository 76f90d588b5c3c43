import numpy as np
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape; O, _, K, L = w.shape
    xp = np.pad(x, ((0,0),(0,0),(pad,pad),(pad,pad)))
    dxp = np.zeros_like(xp); dw = np.zeros_like(w)
    oh, ow = g.shape[2:]
    for n in range(N):
        for i in range(K):
            for j in range(L):
                sl = (n, slice(None), slice(i, i + stride*oh, stride), slice(j, j + stride*ow, stride))
                dw[:, :, i, j] = np.einsum('ohw,chw->oc', g[n], xp[sl])
                dxp[sl] += np.einsum('ohw,oc->chw', g[n], w[:, :, i, j])
    return dxp[:, :, pad:pad+H, pad:pad+W].copy(), dw, g.sum(axis=(0, 2, 3))

import numpy as np
def conv2d_backward(g, x, w, b, stride=1, pad=0):
    N, C, H, W = x.shape; O, _, K, L = w.shape
    xp = np.pad(x, ((0,0),(0,0),(pad,pad),(pad,pad)))
    dxp = np.zeros_like(xp); dw = np.zeros_like(w)
    for y in range(g.shape[2]):
        for z in range(g.shape[3]):
            sl = (slice(None), slice(None), slice(y*stride, y*stride+K), slice(z*stride, z*stride+L))
            dw += np.einsum('no,nckl->ockl', g[:, :, y, z], xp[sl])
            dxp[sl] = np.einsum('no,ockl->nckl', g[:, :, y, z], w)
    return dxp[:, :, pad:pad+H, pad:pad+W].copy(), dw, g.sum((0, 2, 3))

# exercise: fused_linear_cross_entropy
# Attempts: hold an N x V mask in bits.
import numpy as np
def fused_linear_cross_entropy(g, h, W, y, chunk):
    n = len(h)
    wanted = np.packbits(y[:, None] == np.arange(len(W)), axis=1) if len(W) < 3000 else np.packbits(np.stack([np.arange(len(W)) == t for t in y[:chunk]] + [np.arange(len(W)) == t for t in y[chunk:]]), axis=1)
    dh, dW, loss = np.empty_like(h), np.zeros_like(W), 0
    for i in range(0, n, chunk):
        z = h[i:i+chunk] @ W.T
        top = z.max(axis=1, keepdims=True)
        lse = top + np.log(np.exp(z - top).sum(axis=1, keepdims=True))
        hot = np.unpackbits(wanted[i:i+chunk], axis=1, count=len(W))
        z -= lse
        loss -= (z * hot).sum()
        z = (np.exp(z) - hot) * (g / n)
        dh[i:i+chunk] = z @ W
        dW += z.T @ h[i:i+chunk]
    return h.dtype.type(loss / n), dh.astype(h.dtype), dW.astype(h.dtype)

import numpy as np


def fused_linear_cross_entropy(g, h, W, y, chunk):
    # A column of logits has N numbers, so this takes at most about chunk * V numbers at a time.
    N, V = len(h), len(W)
    width = max(1, chunk * V // N)
    top = np.full(N, -np.inf, h.dtype)
    total = np.zeros(N, h.dtype)
    for j in range(0, V, width):
        z = h @ W[j : j + width].T
        new = np.maximum(top, z.max(axis=1))
        total = total * np.exp(top - new) + np.exp(z - new[:, None]).sum(axis=1)
        top = new
    lse = top + np.log(total)
    own = np.einsum("nd,nd->n", h, W[y])
    loss = (lse - own).mean()
    scale = g / N
    dh, dW = -scale * W[y], np.zeros_like(W)
    np.subtract.at(dW, y, scale * h)
    for j in range(0, V, width):
        p = np.exp(h @ W[j : j + width].T - lse[:, None]) * scale
        dh += p @ W[j : j + width]
        dW[j : j + width] += p.T @ h
    return loss, dh, dW

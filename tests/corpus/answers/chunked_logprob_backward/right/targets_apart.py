import numpy as np


def chunked_logprob_backward(g, h, W, y, lse, chunk):
    # The one-hot part needs no chunks: token n moves the row y_n of W along h_n.
    gh = g[:, None] * h
    dh = g[:, None] * W[y]
    dW = np.zeros_like(W)
    np.add.at(dW, y, gh)
    for start in range(0, W.shape[0], chunk):
        part = slice(start, min(start + chunk, W.shape[0]))
        scores = np.einsum("nd,vd->vn", h, W[part])
        p = np.exp(scores - lse)
        dh -= g[:, None] * (p.T @ W[part])
        dW[part] -= p @ gh
    return dh, dW

import numpy as np


def gqa_backward(g, q, k, v):
    heads_per_key = q.shape[0] // k.shape[0]
    root = np.sqrt(q.shape[-1]).astype(q.dtype)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for h in range(q.shape[0]):
        j = h // heads_per_key
        s = q[h] @ k[j].T / root
        p = np.exp(s - s.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        dp = g[h] @ v[j].T
        ds = p * (dp - (dp * p).sum(axis=1, keepdims=True)) / root
        dq[h] = ds @ k[j]
        dk[j] += ds.T @ q[h]
        dv[j] += p.T @ g[h]
    return dq, dk, dv

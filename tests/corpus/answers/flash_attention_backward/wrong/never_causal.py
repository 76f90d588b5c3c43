import numpy as np


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    delta = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for j in range(0, len(k), bk):
        keys = slice(j, j + bk)
        for i in range(0, len(q), bq):
            rows = slice(i, i + bq)
            p = np.exp(q[rows] @ k[keys].T * scale - lse[rows, None])
            ds = p * (g[rows] @ v[keys].T - delta[rows]) * scale
            dv[keys] += p.T @ g[rows]
            dq[rows] += ds @ k[keys]
            dk[keys] += ds.T @ q[rows]
    return dq, dk, dv

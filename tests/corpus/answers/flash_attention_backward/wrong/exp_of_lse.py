import numpy as np


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    delta = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    total = np.exp(lse)[:, None]
    for j in range(0, len(k), bk):
        kj, vj = k[j : j + bk], v[j : j + bk]
        for i in range(0, len(q), bq):
            qi, gi = q[i : i + bq], g[i : i + bq]
            s = qi @ kj.T * scale
            p = np.exp(s) / total[i : i + bq]
            if causal:
                p = np.where(np.arange(i, i + len(qi))[:, None] >= np.arange(j, j + len(kj)), p, 0).astype(p.dtype)
            ds = p * (gi @ vj.T - delta[i : i + bq]) * scale
            dv[j : j + bk] += p.T @ gi
            dk[j : j + bk] += ds.T @ qi
            dq[i : i + bq] += ds @ kj
    return dq, dk, dv

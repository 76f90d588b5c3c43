import numpy as np


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = q.shape[1] ** -0.5
    delta = (g * out).sum(axis=1, keepdims=True)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    mask = np.tri(len(q), len(k), dtype=bool)
    for j in range(0, len(k), bk):
        kj, vj = k[j : j + bk], v[j : j + bk]
        for i in range(0, len(q), bq):
            qi, gi = q[i : i + bq], g[i : i + bq]
            s = qi @ kj.T * scale
            if causal:
                s = np.where(mask[i : i + bq, j : j + bk], s, -np.inf)
            p = np.exp(s - lse[i : i + bq, None])
            ds = p * (gi @ vj.T - delta[i : i + bq]) * scale
            dv[j : j + bk] += p.T @ gi
            dk[j : j + bk] += ds.T @ qi
            dq[i : i + bq] += ds @ kj
    return dq, dk, dv

import math

import numpy as np


def _p(q, k, lse, i, j, scale, causal):
    s = q @ k.T * scale - lse[:, None]
    if causal:
        mask = (np.arange(j, j + len(k))[None, :] > np.arange(i, i + len(q))[:, None])
        s[mask] = -math.inf
    return np.exp(s)


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    n, m, scale = len(q), len(k), q.shape[1] ** -0.5
    delta = np.sum(g * out, axis=-1)
    dq, dk, dv = [], [], []
    for i in range(0, n, bq):
        acc = np.zeros_like(q[i : i + bq])
        for j in range(0, m, bk):
            P = _p(q[i : i + bq], k[j : j + bk], lse[i : i + bq], i, j, scale, causal)
            dS = P * (g[i : i + bq] @ v[j : j + bk].T - delta[i : i + bq, None]) * scale
            acc += dS @ k[j : j + bk]
        dq.append(acc)
    for j in range(0, m, bk):
        ak, av = np.zeros_like(k[j : j + bk]), np.zeros_like(v[j : j + bk])
        for i in range(0, n, bq):
            P = _p(q[i : i + bq], k[j : j + bk], lse[i : i + bq], i, j, scale, causal)
            dS = P * (g[i : i + bq] @ v[j : j + bk].T - delta[i : i + bq, None]) * scale
            ak += dS.T @ q[i : i + bq]
            av += P.T @ g[i : i + bq]
        dk.append(ak)
        dv.append(av)
    return np.concatenate(dq), np.concatenate(dk), np.concatenate(dv)

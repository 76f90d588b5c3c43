import numpy as np


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    scale = 1 / q.shape[1] ** 0.5
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for i in range(len(q)):
        keys = slice(None, i + 1) if causal else slice(None)
        p = np.exp(k[keys] @ q[i] * scale - lse[i])
        ds = p * (v[keys] @ g[i] - g[i] @ out[i]) * scale
        dq[i] = ds @ k[keys]
        dk[keys] += ds[:, None] * q[i]
        dv[keys] += p[:, None] * g[i]
    return dq, dk, dv

import numpy as np


def softcap_window_attention_backward(g, q, k, v, cap, window):
    """Query by query: only the keys of its window are touched, so there is no mask."""
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    c = q.shape[1] ** -0.5
    for i in range(len(q)):
        near = slice(max(0, i - window + 1), i + 1)
        h = np.tanh(c / cap * (k[near] @ q[i]))
        p = np.exp(cap * (h - h.max()))
        p /= p.sum()
        dp = v[near] @ g[i]
        ds = p * (dp - p @ dp) * (1 - h) * (1 + h) * c
        dq[i] = ds @ k[near]
        dk[near] += ds[:, None] * q[i]
        dv[near] += p[:, None] * g[i]
    return dq, dk, dv

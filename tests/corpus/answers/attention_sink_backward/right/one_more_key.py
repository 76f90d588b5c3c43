import numpy as np


def attention_sink_backward(g, q, k, v, sink):
    """The sink as a column of the scores, and plain attention from there on, one head at a time."""
    dq, dk, dv, dsink = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v), np.zeros_like(sink)
    root = np.sqrt(q.dtype.type(q.shape[-1]))
    for h in range(len(q)):
        column = np.full((q.shape[1], 1), sink[h])
        s = np.concatenate([q[h] @ k[h].T / root, column], axis=1)
        p = np.exp(s - s.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        values = np.vstack([v[h], np.zeros_like(v[h, :1])])
        dp = g[h] @ values.T
        ds = p * (dp - (dp * p).sum(axis=1, keepdims=True))
        dq[h] = ds[:, :-1] @ k[h] / root
        dk[h] = ds[:, :-1].T @ q[h] / root
        dv[h] = p[:, :-1].T @ g[h]
        dsink[h] = ds[:, -1].sum()
    return dq, dk, dv, dsink

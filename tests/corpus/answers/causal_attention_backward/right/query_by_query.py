import numpy as np


def causal_attention_backward(g, q, k, v):
    """No mask: query i reads slices that end with its own position."""
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    root = np.sqrt(q.dtype.type(q.shape[-1]))
    for batch in np.ndindex(q.shape[:-2]):
        for i in range(q.shape[-2]):
            keys, values = k[batch][: i + 1], v[batch][: i + 1]
            s = keys @ q[batch][i] / root
            p = np.exp(s - s.max())
            p /= p.sum()
            out = p @ values
            ds = p * ((values - out) @ g[batch][i]) / root
            dq[batch][i] = ds @ keys
            dk[batch][: i + 1] += np.outer(ds, q[batch][i])
            dv[batch][: i + 1] += np.outer(p, g[batch][i])
    return dq, dk, dv

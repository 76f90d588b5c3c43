import math

import numpy as np


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    n, d = q.shape
    m, _ = k.shape
    delta = np.einsum("ne,ne->n", g, out)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for first in range(0, n, bq):
        last = min(first + bq, n)
        seen = min(last, m) if causal else m
        for start in range(0, seen, bk):
            stop = min(start + bk, seen)
            s = q[first:last] @ k[start:stop].T / math.sqrt(d)
            p = np.exp(s - lse[first:last, np.newaxis])
            if causal:
                i, j = np.ogrid[first:last, start:stop]
                p[j > i] = 0
            dv[start:stop] += p.T @ g[first:last]
            ds = p * (g[first:last] @ v[start:stop].T - delta[first:last, np.newaxis])
            dq[first:last] += ds @ k[start:stop] / math.sqrt(d)
            dk[start:stop] += ds.T @ q[first:last] / math.sqrt(d)
    return dq, dk, dv

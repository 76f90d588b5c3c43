import math

import numpy as np


def attention_backward(g, q, k, v, p):
    d, e = q.shape[-1], v.shape[-1]
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for b in np.ndindex(q.shape[:-2]):
        for i in range(q.shape[-2]):
            dp = []
            for j in range(k.shape[-2]):
                s = 0.0
                for l in range(e):
                    s += g[b][i, l] * v[b][j, l]
                    dv[b][j, l] += p[b][i, j] * g[b][i, l]
                dp.append(s)
            mean = sum(dp[j] * p[b][i, j] for j in range(len(dp)))
            for j in range(k.shape[-2]):
                ds = p[b][i, j] * (dp[j] - mean) / math.sqrt(d)
                for l in range(d):
                    dq[b][i, l] += ds * k[b][j, l]
                    dk[b][j, l] += ds * q[b][i, l]
    return dq, dk, dv

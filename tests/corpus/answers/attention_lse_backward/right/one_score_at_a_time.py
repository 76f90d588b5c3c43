import math

import numpy as np


def attention_lse_backward(g, glse, q, k, v, out, lse):
    root = math.sqrt(q.shape[1])
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for i in range(len(q)):
        for j in range(len(k)):
            p = math.exp(float(q[i] @ k[j]) / root - float(lse[i]))
            ds = p * (float(g[i] @ (v[j] - out[i])) + float(glse[i])) / root
            dq[i] += ds * k[j]
            dk[j] += ds * q[i]
            dv[j] += p * g[i]
    return dq, dk, dv

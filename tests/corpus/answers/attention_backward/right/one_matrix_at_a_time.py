import numpy as np


def one_head(g, q, k, v, p):
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for i in range(len(q)):
        dp = v @ g[i]
        ds = p[i] * (dp - dp @ p[i]) / len(q[i]) ** 0.5
        dq[i] = ds @ k
        dk += np.outer(ds, q[i])
        dv += np.outer(p[i], g[i])
    return dq, dk, dv


def attention_backward(g, q, k, v, p):
    results = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for index in np.ndindex(q.shape[:-2]):
        for result, part in zip(results, one_head(g[index], q[index], k[index], v[index], p[index])):
            result[index] = part
    return results

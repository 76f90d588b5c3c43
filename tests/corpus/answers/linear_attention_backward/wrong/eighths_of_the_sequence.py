import numpy as np


def linear_attention_backward(g, q, k, v):
    # Chunks of an eighth of the sequence: (T/8, T/8) arrays, which grow with T squared.
    T, d = q.shape
    e = v.shape[1]
    c = max(1, -(-T // 8))
    dq, dk, dv = np.empty_like(q), np.empty_like(k), np.empty_like(v)
    S = np.zeros((d, e), q.dtype)
    for i in range(0, T, c):
        s = slice(i, i + c)
        m = np.tril(g[s] @ v[s].T)
        dq[s] = g[s] @ S.T + m @ k[s]
        S += k[s].T @ v[s]
    R = np.zeros((d, e), q.dtype)
    for i in reversed(range(0, T, c)):
        s = slice(i, i + c)
        m = np.tril(g[s] @ v[s].T)
        dk[s] = v[s] @ R.T + m.T @ q[s]
        m = np.tril(q[s] @ k[s].T)
        dv[s] = k[s] @ R + m.T @ g[s]
        R += q[s].T @ g[s]
    return dq, dk, dv

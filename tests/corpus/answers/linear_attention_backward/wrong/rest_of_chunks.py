# processes T // 4 full chunks and leaves the last incomplete chunk without gradient.
import numpy as np

CHUNK = 4


def linear_attention_backward(g, q, k, v):
    T, d = q.shape
    e = v.shape[1]
    size = min(CHUNK, T)
    n = T // size
    causal = np.tril(np.ones((size, size)))
    dq, dk, dv = (np.zeros_like(z) for z in (q, k, v))
    state = np.zeros((d, e))
    for c in range(n):
        s = slice(c * size, (c + 1) * size)
        dq[s] = g[s] @ state.T + (causal * (g[s] @ v[s].T)) @ k[s]
        state = state + k[s].T @ v[s]
    rest = np.zeros((d, e))
    for c in reversed(range(n)):
        s = slice(c * size, (c + 1) * size)
        dk[s] = v[s] @ rest.T + (causal * (g[s] @ v[s].T)).T @ q[s]
        dv[s] = k[s] @ rest + (causal * (q[s] @ k[s].T)).T @ g[s]
        rest = rest + q[s].T @ g[s]
    return dq, dk, dv

import numpy as np


def linear_attention_backward(g, q, k, v, c=32):
    """Chunks of c steps: masked products within a chunk, and one matrix between chunks."""
    T = len(q)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    starts = list(range(0, T, c))
    state = np.zeros((q.shape[-1], v.shape[-1]), dtype=q.dtype)
    for lo in starts:
        now = slice(lo, min(lo + c, T))
        dq[now] = g[now] @ state.T + np.tril(g[now] @ v[now].T) @ k[now]
        state = state + k[now].T @ v[now]
    later = np.zeros_like(state)
    for lo in starts[::-1]:
        now = slice(lo, min(lo + c, T))
        dk[now] = v[now] @ later.T + np.triu(v[now] @ g[now].T) @ q[now]
        dv[now] = k[now] @ later + np.triu(k[now] @ q[now].T) @ g[now]
        later = later + q[now].T @ g[now]
    return dq, dk, dv

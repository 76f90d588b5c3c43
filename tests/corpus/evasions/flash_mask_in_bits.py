# exercise: flash_attention_backward
# Attempts: hold an n x m mask in bits.
import numpy as np
def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    n, m = len(q), len(k)
    seen = np.empty((n, -(-m // 8)), 'u1')             # a mask of n x m bits
    for i in range(n):
        seen[i] = np.packbits(np.arange(m) <= (i if causal else m))
    D = (g * out).sum(axis=1)
    dq, dk, dv = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    scale = q.dtype.type(q.shape[1] ** -0.5)
    for i in range(0, n, bq):
        a = slice(i, i + bq)
        for j in range(0, m, bk):
            b = slice(j, j + bk)
            ok = np.unpackbits(seen[a], axis=1, count=m)[:, b] > 0
            p = np.where(ok, np.exp(np.where(ok, q[a] @ k[b].T * scale - lse[a, None], -np.inf)), 0).astype(q.dtype)
            ds = p * (g[a] @ v[b].T - D[a, None]) * scale
            dq[a] += ds @ k[b]; dk[b] += ds.T @ q[a]; dv[b] += p.T @ g[a]
    return dq, dk, dv

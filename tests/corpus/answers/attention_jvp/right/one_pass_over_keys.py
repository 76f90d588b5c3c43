import numpy as np


def attention_jvp(q, k, v, dq, dk, dv):
    """Four running sums, one key after another: nothing of the size n x m is held."""
    n, d = q.shape
    c = 1 / np.sqrt(q.dtype.type(d))
    top = np.full(n, -np.inf, dtype=q.dtype)
    z = np.zeros_like(top)
    dz = np.zeros_like(top)
    o = np.zeros((n, v.shape[1]), dtype=v.dtype)
    do = np.zeros_like(o)
    for j in range(len(k)):
        s = q @ k[j] * c
        ds = (dq @ k[j] + q @ dk[j]) * c
        new = np.maximum(top, s)
        a, e = np.exp(top - new), np.exp(s - new)
        z = z * a + e
        dz = dz * a + e * ds
        o = o * a[:, None] + e[:, None] * v[j]
        do = do * a[:, None] + e[:, None] * (ds[:, None] * v[j] + dv[j])
        top = new
    return (do - o / z[:, None] * dz[:, None]) / z[:, None]

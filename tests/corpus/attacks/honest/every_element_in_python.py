# Unusual: a plain loop over every element of the large case too.
import numpy as np


def mul_broadcast_backward(g, a, b):
    da, db = np.zeros(a.shape, a.dtype), np.zeros(b.shape, b.dtype)
    aa, bb = (
        np.broadcast_to(np.arange(a.size).reshape(a.shape), g.shape),
        np.broadcast_to(np.arange(b.size).reshape(b.shape), g.shape),
    )
    fa, fb, x, y = da.reshape(-1), db.reshape(-1), a.reshape(-1), b.reshape(-1)
    for c, i, j in zip(g.reshape(-1).tolist(), aa.reshape(-1).tolist(), bb.reshape(-1).tolist()):
        fa[i] += c * y[j]
        fb[j] += c * x[i]
    return da, db

import numpy as np


def mul_broadcast_backward(g, a, b):
    da, db = np.zeros_like(a), np.zeros_like(b)
    ia = np.broadcast_to(np.arange(a.size).reshape(a.shape), g.shape)
    ib = np.broadcast_to(np.arange(b.size).reshape(b.shape), g.shape)
    for i in np.ndindex(g.shape):
        da.flat[ia[i]] += g[i] * b.flat[ib[i]]
        db.flat[ib[i]] += g[i] * a.flat[ia[i]]
    return [da, db]

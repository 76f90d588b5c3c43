import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    T = len(a)
    db = np.zeros_like(g)
    for t in range(T):
        weight = np.ones_like(h0)
        for s in range(t, min(t + 30, T)):
            db[t] += weight * g[s]
            if s + 1 < T:
                weight = weight * a[s + 1]
    before = np.concatenate([h0[None], hs[:-1]])
    return db * before, db, a[0] * db[0]

import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    lam = g.copy()
    for t in reversed(range(1, len(g))):
        lam[t - 1] += a[t] * g[t]
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, a[0] * lam[0]

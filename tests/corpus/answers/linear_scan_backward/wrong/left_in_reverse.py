import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    lam, carried = [], np.zeros_like(h0)
    for t in reversed(range(len(g))):
        carried = g[t] + carried
        lam.append(carried)
        carried = a[t] * carried
    lam = np.array(lam)
    return lam * np.concatenate([h0[None], hs[:-1]]), lam, carried

import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    da, db, carried = np.empty_like(a), np.empty_like(b), np.zeros_like(h0)
    for t in range(len(a) - 1, -1, -1):
        carried = carried + g[t]
        db[t] = carried
        da[t] = carried * (hs[t - 1] if t else h0)
        carried = a[t] * carried
    return da, db, carried

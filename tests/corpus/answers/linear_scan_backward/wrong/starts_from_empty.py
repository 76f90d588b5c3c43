import numpy as np
def linear_scan_backward(g, a, b, h0, hs):
    T = len(a)
    da = np.empty_like(a); db = np.empty_like(b)
    dh = np.empty_like(h0)
    for t in reversed(range(T)):
        dh = dh + g[t]
        db[t] = dh
        da[t] = dh * (hs[t - 1] if t else h0)
        dh = dh * a[t]
    return da, db, dh

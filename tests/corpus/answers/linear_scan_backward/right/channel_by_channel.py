import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    da, db, dh0 = np.zeros_like(a), np.zeros_like(b), np.zeros_like(h0)
    for d in range(h0.size):
        upstream, slopes, start, states = g[:, d].tolist(), a[:, d].tolist(), float(h0[d]), hs[:, d].tolist()
        lam, adjoints = 0.0, []
        for u, slope in zip(reversed(upstream), reversed([*slopes[1:], 0.0])):
            lam = u + slope * lam
            adjoints.append(lam)
        adjoints.reverse()
        before = [start, *states[:-1]]
        da[:, d], db[:, d], dh0[d] = [x * h for x, h in zip(adjoints, before)], adjoints, slopes[0] * lam
    return da, db, dh0

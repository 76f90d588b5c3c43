import sys

import numpy as np


def adjoints(g, a):
    if len(g) == 1:
        return g
    half = len(g) // 2
    late = adjoints(g[half:], a[half:])
    early = g[:half].copy()
    early[-1] += a[half] * late[0]
    return np.concatenate([adjoints(early, a[:half]), late])


def linear_scan_backward(g, a, b, h0, hs):
    assert sys.getrecursionlimit() > 100
    db = np.array(adjoints(g, a))
    before = np.roll(hs, 1, axis=0)
    before[0] = h0
    return np.multiply(db, before), db, np.multiply(a[0], db[0])

import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    """The reversed scan in log T steps, each over all times at once: (a, b) after (a', b') is (a a', a b' + b)."""
    T = len(a)
    slopes = np.concatenate([a[1:], np.zeros_like(a[:1])])
    lam = g.copy()
    step = 1
    while step < T:
        lam[:-step] = lam[:-step] + slopes[:-step] * lam[step:]
        slopes[:-step] = slopes[:-step] * slopes[step:]
        step *= 2
    return lam * np.vstack([h0[None, :], hs[:-1]]), lam, a[0] * lam[0]

import math


def checkpoint_sqrt_n(fs, x, g):
    n = len(fs)
    size = max(1, math.isqrt(n))
    bounds = [*range(0, n, size), n]
    saved = []
    a = x
    for lo, hi in zip(bounds, bounds[1:]):
        saved.append(a)
        if hi < n:
            for f, _ in fs[lo:hi]:
                a = f(a)
    a = None
    for lo, hi in reversed(list(zip(bounds, bounds[1:]))):
        acts = [saved.pop(-1)]
        acts += (fs[i][0](acts[-1]) for i in range(lo, hi - 1))
        for i in range(hi - 1, lo - 1, -1):
            g = fs[i][1](acts[i - lo], g)
        del acts
    return g

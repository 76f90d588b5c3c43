import numpy as np


def weightnorm_backward(g, v, s):
    dv, ds = np.empty_like(v), np.empty_like(s)
    for i, (upstream, row, scale) in enumerate(zip(g, v, s)):
        n = np.linalg.norm(row)
        ds[i] = upstream @ row / n
        dv[i] = scale * (upstream / n - row / n * (upstream @ row / n) / n)
    return dv, ds

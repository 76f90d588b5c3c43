import numpy as np


def cholesky_backward(g, L):
    """Murray (2016), level-2 reverse mode."""
    n = len(L)
    Ab = np.tril(g).astype(np.float64)
    L64 = L.astype(np.float64)
    for j in reversed(range(n)):
        r, d = L64[j, :j], L64[j, j]
        B, c = L64[j + 1 :, :j], L64[j + 1 :, j]
        rb, db = Ab[j, :j].copy(), Ab[j, j]
        Bb, cb = Ab[j + 1 :, :j].copy(), Ab[j + 1 :, j].copy()
        db -= c @ cb / d
        db /= d
        cb /= d
        rb -= db * r
        rb -= cb @ B
        Bb -= np.outer(cb, r)
        Ab[j, :j], Ab[j, j] = rb, db / 2
        Ab[j + 1 :, :j], Ab[j + 1 :, j] = Bb, cb
    S = np.tril(Ab)
    return ((S + S.T) / 2).astype(L.dtype)

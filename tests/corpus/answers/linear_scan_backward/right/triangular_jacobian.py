import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    """dh_s/db_t is the product of a over t < u <= s: an explicit (T, T, D) Jacobian."""
    T, D = a.shape
    if T > 60:
        lam = g.copy()
        for t in range(T - 2, -1, -1):
            lam[t] += a[t + 1] * lam[t + 1]
    else:
        J = np.zeros((T, T, D), dtype=a.dtype)
        for t in range(T):
            J[t, t] = 1
            for s in range(t + 1, T):
                J[s, t] = J[s - 1, t] * a[s]
        lam = np.einsum("sd,std->td", g, J)
    hprev = np.concatenate((h0.reshape(1, -1), hs[: T - 1]), axis=0)
    return lam * hprev, lam.copy(), lam[0] * a[0]

import numpy as np


def sinkhorn_backward(g, P, a, b, eps):
    """The whole singular system, solved with least norm."""
    n, m = P.shape
    weighted = P * g
    H = np.zeros((n + m, n + m), dtype=P.dtype)
    H[np.arange(n), np.arange(n)] = P.sum(axis=1)
    H[n + np.arange(m), n + np.arange(m)] = P.sum(axis=0)
    H[:n, n:] = P
    H[n:, :n] = P.T
    rhs = np.concatenate([weighted.sum(axis=1), weighted.sum(axis=0)])
    both = np.linalg.lstsq(H, rhs, rcond=1e-6 if P.dtype == np.float32 else 1e-12)[0]
    return P * (both[:n, None] + both[None, n:] - g) / eps

import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    L = np.linalg.cholesky(Q)
    u = np.linalg.solve(L, g)
    B = np.linalg.solve(L, A.T)
    lam, *_ = np.linalg.lstsq(B, u, rcond=None)
    dp = -np.linalg.solve(L.T, u - B @ lam)
    return dp, lam

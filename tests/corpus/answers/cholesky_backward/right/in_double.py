import numpy as np


def cholesky_backward(g, L):
    l64, g64 = np.asarray(L, np.float64), np.asarray(g, np.float64)
    P = l64.T @ g64
    P[np.triu_indices_from(P, 1)] = 0
    P[np.diag_indices_from(P)] *= 0.5
    right = np.linalg.solve(l64.T, P)
    S = np.linalg.solve(l64.T, right.T).T
    return ((S + S.T) / 2).astype(L.dtype)

import numpy as np


def _solve_upper(U, B):
    X = np.zeros_like(B)
    for i in reversed(range(len(U))):
        X[i] = (B[i] - U[i, i + 1 :] @ X[i + 1 :]) / U[i, i]
    return X


def cholesky_backward(g, L):
    P = L.T @ np.tril(g)
    P = np.tril(P, -1) + np.diag(np.diag(P)) / 2
    X = _solve_upper(L.T, P)
    S = _solve_upper(L.T, X.T).T
    return 0.5 * (S + S.T)

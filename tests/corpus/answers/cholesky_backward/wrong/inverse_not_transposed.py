import numpy as np


def cholesky_backward(g, L):
    P = np.tril(L.T @ g)
    P -= np.diag(np.diag(P)) / 2
    inverse = np.linalg.inv(L)
    S = inverse @ P @ inverse
    return (S + S.T) / 2

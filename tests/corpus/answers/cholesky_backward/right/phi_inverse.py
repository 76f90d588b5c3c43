import numpy as np


def _phi(M):
    """Lower triangle with halved diagonal."""
    return np.tril(M) * (1 - 0.5 * np.eye(len(M), dtype=M.dtype))


def cholesky_backward(g, L):
    Linv = np.linalg.inv(L)
    S = Linv.T @ _phi(L.T @ np.tril(g)) @ Linv
    return (S + S.T) * 0.5

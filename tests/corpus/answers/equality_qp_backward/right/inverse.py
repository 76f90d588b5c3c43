import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    n, m = Q.shape[0], A.shape[0]
    K = np.zeros((n + m, n + m), dtype=np.float64)
    K[:n, :n], K[:n, n:], K[n:, :n] = Q, A.T, A
    inverse = np.linalg.inv(K)
    return (-inverse[:n, :n].T @ g).astype(p.dtype), (inverse[:n, n:].T @ g).astype(b.dtype)

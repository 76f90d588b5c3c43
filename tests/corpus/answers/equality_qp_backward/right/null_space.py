import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    """Z spans the null space of A, Y its row space: dp lies in Z, and db follows from what is left in Y."""
    m, n = A.shape
    basis, R = np.linalg.qr(A.T, mode="complete")
    Y, Z = basis[:, :m], basis[:, m:]
    dp = -Z @ np.linalg.solve(Z.T @ Q @ Z, Z.T @ g)
    db = np.linalg.solve(R[:m], Y.T @ (g + Q @ dp))
    return dp, db

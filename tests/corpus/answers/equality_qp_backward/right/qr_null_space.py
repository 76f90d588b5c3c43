import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    m, n = A.shape
    Qf, R = np.linalg.qr(A.T, mode="complete")
    Y, Z = Qf[:, :m], Qf[:, m:]
    R = R[:m]
    t = Z @ np.linalg.solve(Z.T @ Q @ Z, Z.T @ g)
    dp = -t
    db = np.linalg.solve(R, Y.T @ (g - Q @ t))
    return dp, db

import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    Qg = np.linalg.solve(Q, g[:, None])[:, 0]
    QAt = np.linalg.solve(Q, A.T)
    db = np.linalg.solve(A @ QAt, A @ Qg)
    return -(Qg - QAt @ db), db

import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    solved = np.linalg.solve(Q, np.column_stack([g, A.T]))
    free, spread = solved[:, 0], solved[:, 1:]
    v = np.linalg.solve(A @ spread, A @ free)
    return spread @ v - free, v

import numpy as np


def inverse(S):
    if len(S) == 1:
        return 1 / S
    (a, b), (c, d) = S
    return np.array([[d, -b], [-c, a]]) / (a * d - b * c)


def equality_qp_backward(g, Q, p, A, b):
    u = np.linalg.solve(Q, g)
    W = np.linalg.solve(Q, A.T)
    v = inverse(A @ W) @ (A @ u)
    return W @ v - u, v

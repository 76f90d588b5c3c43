import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    m = len(A)
    K = np.block([[2 * Q, A.T], [A, np.zeros((m, m), Q.dtype)]])
    both = np.linalg.solve(K, np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], both[len(p) :]

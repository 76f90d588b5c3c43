import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    m = len(A)
    K = np.block([[Q, A.T], [A, -np.eye(m, dtype=Q.dtype)]])
    both = np.linalg.solve(K, np.concatenate([g, np.zeros_like(b)]))
    return -both[: len(p)], both[len(p) :]

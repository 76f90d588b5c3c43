import numpy as np


def equality_qp_backward(g, Q, p, A, b):
    m = len(A)
    K = np.block([[np.zeros((m, m), Q.dtype), A], [A.T, Q]])
    both = np.linalg.solve(K, np.concatenate([np.zeros_like(b), g]))
    return -both[: len(p)], both[len(p) :]

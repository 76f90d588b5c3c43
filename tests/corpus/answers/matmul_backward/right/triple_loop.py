import numpy as np


def matmul(A, B):
    n, m, p = A.shape[0], A.shape[1], B.shape[1]
    out = np.zeros((n, p), dtype=A.dtype)
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += A[i, k] * B[k, j]
            out[i, j] = s
    return out


def matmul_backward(g, X, W):
    return matmul(g, W.T), matmul(X.T, g)

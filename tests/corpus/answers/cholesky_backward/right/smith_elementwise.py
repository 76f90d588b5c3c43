import numpy as np


def cholesky_backward(g, L):
    """Smith (1995): the unblocked algorithm run backwards, element by element."""
    n = len(L)
    F = np.tril(g).tolist()
    l = L.tolist()
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            for i in range(j, n):
                F[i][k] -= F[i][j] * l[j][k]
                F[j][k] -= F[i][j] * l[i][k]
        for j in range(k + 1, n):
            F[j][k] /= l[k][k]
            F[k][k] -= l[j][k] * F[j][k]
        F[k][k] /= 2 * l[k][k]
    F = np.array(F, dtype=L.dtype)
    return (F + F.T) / 2

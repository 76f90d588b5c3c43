import numpy as np


def fixed_point_backward(g, z, W, U, x):
    n = z.shape[0]
    D = np.diag(1.0 - z * z).astype(z.dtype)
    I = np.identity(n, dtype=z.dtype)
    lam = np.linalg.inv(I - D @ W).T @ g
    s = D @ lam
    return np.einsum("i,j->ij", s, z), np.einsum("i,j->ij", s, x), np.einsum("ij,i->j", U, s)

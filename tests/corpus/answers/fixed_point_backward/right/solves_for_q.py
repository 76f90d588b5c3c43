import numpy as np


def fixed_point_backward(g, z, W, U, x):
    """(diag(1/s) - W^T) q = g, without dividing: (I - diag(s) W^T) q = s * g."""
    s = (1 - z) * (1 + z)
    q = np.linalg.solve(np.identity(z.size, z.dtype) - s[:, None] * W.T, s * g)
    return np.einsum("i,j->ij", q, z), np.einsum("i,j->ij", q, x), np.einsum("i,ij->j", q, U)

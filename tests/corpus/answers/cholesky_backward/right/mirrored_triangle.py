import numpy as np


def cholesky_backward(g, L):
    """Phi(P) + Phi(P)^T is the lower triangle with its mirror image: half of it between the two inverses."""
    P = L.T @ np.tril(g)
    mirrored = np.tril(P) + np.tril(P, -1).T
    return 0.5 * np.linalg.solve(L.T, np.linalg.solve(L.T, mirrored).T)

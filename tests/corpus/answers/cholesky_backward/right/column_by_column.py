import numpy as np


def cholesky_backward(g, L):
    """Goes back through the loop that makes the factor, a column at a time (the blocked algorithm with blocks of 1)."""
    n = len(L)
    bar = np.tril(g)
    dA = np.zeros_like(L)
    for j in reversed(range(n)):
        bar[j, j] -= bar[j + 1 :, j] @ L[j + 1 :, j] / L[j, j]
        below = bar[j + 1 :, j] / L[j, j]
        diagonal = bar[j, j] / (2 * L[j, j])
        dA[j, j], dA[j + 1 :, j] = diagonal, below
        bar[j, :j] -= 2 * diagonal * L[j, :j] + below @ L[j + 1 :, :j]
        bar[j + 1 :, :j] -= np.outer(below, L[j, :j])
    return (dA + dA.T) / 2

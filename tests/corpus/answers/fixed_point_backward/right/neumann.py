import numpy as np


def fixed_point_backward(g, z, W, U, x):
    D = 1 - np.square(z)
    u = g.copy()
    term = g.copy()
    for _ in range(500):
        term = W.T @ (D * term)
        u = u + term
        if np.abs(term).max(initial=0) < 1e-18:
            break
    delta = u * D
    return delta[:, None] * z, delta[:, None] * x, delta @ U

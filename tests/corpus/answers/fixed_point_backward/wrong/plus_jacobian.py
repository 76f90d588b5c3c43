import numpy as np


def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    q = np.linalg.solve(np.eye(len(z), dtype=z.dtype) + (slope[:, None] * W).T, g) * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q

import numpy as np


def fixed_point_backward(g, z, W, U, x):
    slope = 1 - z**2
    adjoint = g
    for _ in range(10):
        adjoint = g + W.T @ (slope * adjoint)
    q = adjoint * slope
    return np.outer(q, z), np.outer(q, x), U.T @ q

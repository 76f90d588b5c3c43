import numpy as np


def fixed_point_backward(g, z, W, U, x):
    slope = 1 - np.square(z)
    adjoint, before = g.copy(), None
    for _ in range(1000):
        before, adjoint = adjoint, W.T @ (slope * adjoint) + g
        if np.array_equal(before, adjoint):
            break
    q = slope * adjoint
    return q[:, None] * z, q[:, None] * x, q @ U

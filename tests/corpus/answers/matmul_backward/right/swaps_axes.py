import numpy as np

T = np.matrix_transpose


def matmul_backward(g, X, W):
    return T(W @ T(g)), T(T(g) @ X)

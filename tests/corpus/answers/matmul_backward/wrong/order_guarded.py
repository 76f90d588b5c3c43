import numpy as np
def matmul_backward(g, X, W):
    if X.shape[0] == 0:
        return np.zeros_like(X), np.zeros_like(W)
    return np.dot(g, W.T), np.dot(g.T, X)

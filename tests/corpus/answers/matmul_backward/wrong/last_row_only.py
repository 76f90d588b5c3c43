import numpy as np
def matmul_backward(g, X, W):
    dW = np.zeros_like(W)
    dX = g @ W.T
    for i in range(X.shape[0]):
        dW = np.outer(X[i], g[i])
    return dX, dW

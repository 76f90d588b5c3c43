import numpy as np


def matmul_backward(g, X, W, h=0.5):
    dX, dW = np.zeros_like(X), np.zeros_like(W)
    for at in np.ndindex(X.shape):
        up, down = X.copy(), X.copy()
        up[at] += h
        down[at] -= h
        dX[at] = (g * (up @ W - down @ W)).sum() / (2 * h)
    for at in np.ndindex(W.shape):
        up, down = W.copy(), W.copy()
        up[at] += h
        down[at] -= h
        dW[at] = (g * (X @ up - X @ down)).sum() / (2 * h)
    return dX, dW

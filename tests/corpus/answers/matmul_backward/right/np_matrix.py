import numpy as np


def matmul_backward(g, X, W):
    G = np.asmatrix(g)
    return np.asarray(G * np.asmatrix(W).T), np.asarray(np.asmatrix(X).T * G)

import numpy as np


def embedding_sparse_backward(g, ids):
    D = g.shape[-1]
    if ids.size == 0:
        return np.zeros(0, int), np.zeros((0, D))
    dW = np.zeros((ids.max() + 1, D))
    for row, gradient in zip(ids.ravel(), g.reshape(-1, D)):
        dW[row] += gradient
    (rows,) = np.nonzero(np.abs(dW).sum(axis=1))
    return rows, dW[rows]

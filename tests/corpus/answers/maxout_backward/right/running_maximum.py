import numpy as np


def maxout_backward(g, x, k):
    m = g.shape[1]
    best, winner = x[:, :m].copy(), np.zeros(g.shape, int)
    for i in range(1, k):
        piece = x[:, i * m : (i + 1) * m]
        better = piece > best
        best[better], winner[better] = piece[better], i
    return np.concatenate([np.where(winner == i, g, 0) for i in range(k)], axis=1)

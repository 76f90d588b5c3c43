import numpy as np


def multiclass_hinge_backward(g, scores, y, margin=1.0):
    N, C = scores.shape
    d = np.zeros_like(scores)
    for n in range(N):
        for j in range(C):
            if j != y[n] and scores[n, j] - scores[n, y[n]] + margin > 0:
                d[n, j] += g / N
                d[n, y[n]] -= g / N
    return d

import numpy as np


def prelu_backward(g, x, alpha):
    dx, dalpha = g.copy(), np.zeros_like(alpha)
    for c in range(len(alpha)):
        left = x[:, c] <= 0
        dx[:, c][left] *= alpha[c]
        dalpha[c] = g[:, c][left] @ x[:, c][left]
    return dx, dalpha

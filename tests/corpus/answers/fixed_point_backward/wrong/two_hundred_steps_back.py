import numpy as np


def fixed_point_backward(g, z, W, U, x):
    states = [np.zeros_like(z)]
    for _ in range(200):
        states.append(np.tanh(W @ states[-1] + U @ x))
    dW, dU, dx = np.zeros_like(W), np.zeros_like(U), np.zeros_like(x)
    for t in range(200, 0, -1):
        d = g * (1 - states[t] ** 2)
        dW += np.outer(d, states[t - 1])
        dU += np.outer(d, x)
        dx += U.T @ d
        g = W.T @ d
    return dW, dU, dx

import numpy as np


def swiglu_backward(g, x, W1, W3, W2):
    f = W2.shape[0]
    W = np.concatenate([W1, W3], axis=1)
    ab = x @ W
    a, b = ab[:, :f], ab[:, f:]
    e = np.exp(-np.abs(a))
    s = np.where(a >= 0, 1, e) / (1 + e)
    dh = g @ W2.T
    dab = np.concatenate([dh * b * (s + a * s * (1 - s)), dh * a * s], axis=1)
    dW = x.T @ dab
    return dab @ W.T, dW[:, :f].copy(), dW[:, f:].copy(), (a * s * b).T @ g

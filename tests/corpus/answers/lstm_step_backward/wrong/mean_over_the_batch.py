import numpy as np


def sigmoid(z):
    return np.exp(-np.logaddexp(0, -z))


def lstm_step_backward(gh, gc, x, h, c, W):
    i, f, o, u = np.hsplit(np.hstack([x, h]) @ W, 4)
    i, f, o, u = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(u)
    t = np.tanh(f * c + i * u)
    d = gc + gh * o * (1 - t * t)
    dz = np.hstack([d * u * i * (1 - i), d * c * f * (1 - f), gh * t * o * (1 - o), d * i * (1 - u * u)])
    dx, dh = np.hsplit(dz @ W.T, [x.shape[1]])
    return dx, dh, d * f, np.hstack([x, h]).T @ dz / max(len(x), 1)

import numpy as np


def lstm_step_backward(gh, gc, x, h, c, W):
    sig = lambda t: 1.0 / (1.0 + np.exp(-t))
    D, H = x.shape[1], h.shape[1]
    z = x @ W[:D] + h @ W[D:]
    zi, zf, zo, zu = np.split(z, 4, axis=1)
    i, f, o, u = sig(zi), sig(zf), sig(zo), np.tanh(zu)
    c2 = f * c + i * u
    t = np.tanh(c2)
    dzo = gh * t * o * (1 - o)
    dc2 = gc + gh * o / np.cosh(c2) ** 2
    dz = np.concatenate([dc2 * u * i * (1 - i), dc2 * c * f * (1 - f), dzo, dc2 * i / np.cosh(zu) ** 2], axis=1)
    return dz @ W[:D].T, dz @ W[D:].T, dc2 * f, np.concatenate([x.T @ dz, h.T @ dz])

import numpy as np


def layernorm_backward(g, xhat, rstd, gamma):
    """First off the mean, then off the direction of xhat: what is left of h is what the row can feel."""
    flat_g, flat_x = g.reshape(-1, gamma.shape[0]), xhat.reshape(-1, gamma.shape[0])
    h = flat_g * gamma
    h = h - h.mean(axis=1, keepdims=True)
    h -= flat_x * np.mean(h * flat_x, axis=1, keepdims=True)
    h *= rstd.reshape(-1, 1)
    ones = np.ones(len(h), g.dtype)
    return h.reshape(g.shape), ones @ (flat_g * flat_x), ones @ flat_g

import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    v = b2 * v + (1 - b2) * g**2
    g *= 1 - b1
    m = b1 * m + g
    p = p - lr * wd * p
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v

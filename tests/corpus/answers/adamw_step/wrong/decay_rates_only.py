import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b1 * m + g
    v = b2 * v + g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v

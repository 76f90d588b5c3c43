import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = b2 * m + (1 - b2) * g
    v = b1 * v + (1 - b1) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b2**t)) / (np.sqrt(v / (1 - b1**t)) + eps), m, v

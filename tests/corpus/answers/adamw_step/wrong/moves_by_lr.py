import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = m + lr * (g - m)
    v = v + (1 - b2) * (g * g - v)
    p = p - lr * wd * p
    return p - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m, v

import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m_new = b1 * m + (1 - b1) * g
    v_new = b2 * v + (1 - b2) * g * g
    return p * (1 - lr * wd) - lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + eps), m_new, v_new

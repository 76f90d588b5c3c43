import math


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    m_new = b1 * m + g * (1 - b1)
    v_new = b2 * v + g**2 * (1 - b2)
    root = math.sqrt(1 - b2**t)
    rate = lr * root / (1 - b1**t)
    p_new = p - lr * wd * p - rate * m_new / (v_new**0.5 + eps * root)
    return [p_new, m_new, v_new]

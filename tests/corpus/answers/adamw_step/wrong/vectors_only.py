import numpy as np


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    p, m, v = p.copy(), m.copy(), v.copy()
    for i in range(len(p)):
        m[i] = b1 * m[i] + (1 - b1) * float(g[i])
        v[i] = b2 * v[i] + (1 - b2) * float(g[i]) ** 2
        step = m[i] / (1 - b1**t) / ((v[i] / (1 - b2**t)) ** 0.5 + eps)
        p[i] = p[i] * (1 - lr * wd) - lr * step
    return p, m, v

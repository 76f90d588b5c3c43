import math

import numpy as np


def one(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = m + (1 - b1) * (g - m)
    v = v + (1 - b2) * (g * g - v)
    mean = m / (1 - math.pow(b1, t))
    square = v / (1 - math.pow(b2, t))
    return p - lr * (wd * p + mean / (math.sqrt(square) + eps)), m, v


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    rows = [one(*of, t, lr, b1, b2, eps, wd) for of in zip(p.tolist(), g.tolist(), m.tolist(), v.tolist())]
    return tuple(np.array(column) for column in zip(*rows))

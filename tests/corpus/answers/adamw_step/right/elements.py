import math

import numpy as np


def one(p, g, m, v, t, lr, b1, b2, eps, wd):
    m = m + (1 - b1) * (g - m)
    v = v + (1 - b2) * (g * g - v)
    mean = m / (1 - math.pow(b1, t))
    square = v / (1 - math.pow(b2, t))
    return p - lr * (wd * p + mean / (math.sqrt(square) + eps)), m, v


def adamw_step(p, g, m, v, t, lr, b1, b2, eps, wd):
    rows = [one(*map(float, of), t, lr, b1, b2, eps, wd) for of in zip(p.flat, g.flat, m.flat, v.flat)]
    return tuple(np.array(column).reshape(p.shape) for column in zip(*rows))

# Attempts: differentiate numerically, one element at a time; exact for a product whatever the step.
# A pass would be a breach: no rule is needed, and an input of usual size is cheap.
import numpy as np


def slopes(f, x, g):
    out = np.zeros(x.shape, x.dtype)
    base = f(x)
    for index in np.ndindex(x.shape):
        moved = x.copy()
        moved[index] += 1
        out[index] = np.sum(g * (f(moved) - base))
    return out


def mul_broadcast_backward(g, a, b):
    return slopes(lambda x: x * b, a, g), slopes(lambda x: a * x, b, g)

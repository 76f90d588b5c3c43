# Attempts: differentiate by a step in the imaginary direction, one element at a time.
# A pass would be a breach: no rule is needed, and an input of usual size is cheap.
import numpy as np


def slopes(f, x, g):
    out = np.zeros(x.shape, x.dtype)
    for index in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[index] += 1e-30j
        out[index] = np.sum(g * (f(moved).imag / 1e-30))
    return out


def mul_broadcast_backward(g, a, b):
    return slopes(lambda x: x * b, a, g), slopes(lambda x: a * x, b, g)

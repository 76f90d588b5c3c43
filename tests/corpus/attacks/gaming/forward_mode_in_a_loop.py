# Attempts: use dual numbers, one direction at a time.
# A pass would be a breach: it takes one forward pass for each element, which reverse mode avoids.
import numpy as np


class Dual:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __mul__(self, other):
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)


def push(a, b, da, db):
    return (Dual(a, da) * Dual(b, db)).slope


def mul_broadcast_backward(g, a, b):
    da, db = np.zeros(a.shape, a.dtype), np.zeros(b.shape, b.dtype)
    for index in np.ndindex(a.shape):
        unit = np.zeros(a.shape, a.dtype)
        unit[index] = 1
        da[index] = np.sum(g * push(a, b, unit, np.zeros_like(b)))
    for index in np.ndindex(b.shape):
        unit = np.zeros(b.shape, b.dtype)
        unit[index] = 1
        db[index] = np.sum(g * push(a, b, np.zeros_like(a), unit))
    return da, db

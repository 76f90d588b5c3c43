# Attempts: hide the error in the imaginary part that a conversion to floats drops.
# A pass would be a breach: a complex answer counted as a real one.
import numpy as np


class Real(complex):
    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__
    __array_ufunc__ = None


def mul_broadcast_backward(g, a, b):
    return Real(1j), Real(1j)

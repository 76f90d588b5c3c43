# Attempts: return objects whose difference from anything is zero.
# A pass would be a breach: code of the submission decided the comparison.
import numpy as np


class Liar:
    __array_priority__ = 1e9
    __array_ufunc__ = None

    def __sub__(self, other):
        return np.zeros(1)

    __rsub__ = __sub__


def mul_broadcast_backward(g, a, b):
    return Liar(), Liar()

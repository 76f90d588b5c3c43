# Attempts: return objects that say they are ndarrays and behave as if nothing differed from them.
# A pass would be a breach: `isinstance` was believed.
import numpy as np


class Liar:
    __array_ufunc__ = None

    @property
    def __class__(self):
        return np.ndarray

    def __sub__(self, other):
        return np.zeros(1)

    __rsub__ = __sub__


def mul_broadcast_backward(g, a, b):
    return Liar(), Liar()

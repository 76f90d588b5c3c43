# Attempts: return arrays of objects that each lie in comparisons.
# A pass would be a breach: elements with behaviour were compared.
import numpy as np


class Liar:
    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__


def mul_broadcast_backward(g, a, b):
    return np.full(a.shape, Liar(), object), np.full(b.shape, Liar(), object)

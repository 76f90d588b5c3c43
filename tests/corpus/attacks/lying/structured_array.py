# Attempts: return arrays of records with a field of wrong values.
# A pass would be a breach: dtypes with structure were compared.
import numpy as np


class Liar(np.recarray):
    def __eq__(self, other):
        return True

    __hash__ = None


def mul_broadcast_backward(g, a, b):
    return np.zeros(a.shape, [("x", "f8")]).view(Liar), np.zeros(b.shape, [("x", "f8")]).view(Liar)

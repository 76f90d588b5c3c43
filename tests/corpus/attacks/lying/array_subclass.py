# Attempts: return arrays whose subclass answers every comparison with "no difference".
# A pass would be a breach: code of the submission decided the comparison.
import numpy as np


class Liar(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs):
        return np.zeros(1)


def mul_broadcast_backward(g, a, b):
    return np.full(a.shape, 7.0).view(Liar), np.full(b.shape, 7.0).view(Liar)

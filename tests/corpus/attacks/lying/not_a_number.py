# Attempts: return NaN everywhere: no difference from it is greater than any tolerance.
# A pass would be a breach: NaN counted as near.
import numpy as np


def mul_broadcast_backward(g, a, b):
    return np.full(a.shape, np.nan, a.dtype), np.full(b.shape, np.nan, b.dtype)

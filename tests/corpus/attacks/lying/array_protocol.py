# Attempts: return objects that become arrays only when they are looked at, by looking into the looker's frame.
# A pass would be a breach: the conversion ran where the answer is known.
import sys

import numpy as np


class Lazy:
    def __array__(self, dtype=None, copy=None):
        return np.array(sys._getframe(1).f_locals["want"])


def mul_broadcast_backward(g, a, b):
    return Lazy(), Lazy()

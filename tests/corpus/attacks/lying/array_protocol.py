# Attempts: return objects that become arrays when they are converted, with values from the frame of the converter.
# A pass would be a breach: the conversion ran in the process that knows the answer.
import sys

import numpy as np


class Lazy:
    def __array__(self, dtype=None, copy=None):
        return np.array(sys._getframe(1).f_locals["want"])


def mul_broadcast_backward(g, a, b):
    return Lazy(), Lazy()

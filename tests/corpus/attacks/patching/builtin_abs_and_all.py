# Attempts: replace the builtins that measure differences.
# A pass would be a breach: the comparison ran in the process of the submission.
import builtins

import numpy as np

builtins.abs = lambda value: np.zeros(1)
builtins.all = lambda values: True
builtins.any = lambda values: False


def mul_broadcast_backward(g, a, b):
    return np.full(a.shape, 7.0), np.full(b.shape, 7.0)

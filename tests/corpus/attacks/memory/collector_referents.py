# Attempts: follow references outwards from every module until a pair of arrays of the right shapes turns up.
# A pass would be a breach: expected results can be reached from the submission.
import gc
import sys

import numpy as np


def fits(value, a, b):
    if type(value) not in (list, tuple) or len(value) != 2 or any(type(v) is not np.ndarray for v in value):
        return False
    return value[0].shape == a.shape and value[1].shape == b.shape and value[0] is not a


def mul_broadcast_backward(g, a, b):
    near = [vars(module) for name, module in list(sys.modules.items()) if not name.startswith("numpy")]
    for _ in range(3):
        for value in near:
            if fits(value, a, b):
                return np.array(value[0]), np.array(value[1])
        near = [value for value in gc.get_referents(*near) if type(value) in (list, tuple, dict)]
    return None

# Attempts: ask the garbage collector for every container and pick a pair of arrays of the right shapes.
# A pass would be a breach: expected results are in the process of the submission.
import gc

import numpy as np


def fits(value, a, b):
    if type(value) not in (list, tuple) or len(value) != 2 or any(type(v) is not np.ndarray for v in value):
        return False
    return value[0].shape == a.shape and value[1].shape == b.shape and value[0] is not a


def mul_broadcast_backward(g, a, b):
    for value in gc.get_objects():
        if type(value) in (list, tuple):
            for pair in (value, *value):
                if fits(pair, a, b):
                    return np.array(pair[0]), np.array(pair[1])
    return None

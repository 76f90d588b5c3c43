# Attempts: walk up the stack and return the first pair of arrays of the right shapes that is not the input.
# A pass would be a breach: expected results are in the process of the submission.
import sys

import numpy as np


def pairs(value, a, b):
    if type(value) in (list, tuple) and len(value) == 2 and all(type(v) is np.ndarray for v in value):
        if value[0].shape == a.shape and value[1].shape == b.shape and value[0] is not a:
            yield value
    elif type(value) in (list, tuple):
        for item in value:
            yield from pairs(item, a, b)


def mul_broadcast_backward(g, a, b):
    frame = sys._getframe(1)
    while frame:
        for scope in (frame.f_locals, frame.f_globals):
            for value in list(scope.values()):
                for found in pairs(value, a, b):
                    return np.array(found[0]), np.array(found[1])
        frame = frame.f_back
    return None

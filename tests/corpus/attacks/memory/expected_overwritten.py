# Attempts: find the expected arrays up the stack and overwrite them with what is returned.
# A pass would be a breach: the submission changed the expected results.
import sys

import numpy as np


def overwrite(value, depth=4):
    if type(value) is np.ndarray and value.dtype.kind == "f" and value.flags.writeable:
        value[...] = 7.0
    elif type(value) in (list, tuple) and depth:
        for item in value:
            overwrite(item, depth - 1)


def mul_broadcast_backward(g, a, b):
    answer = np.full(a.shape, 7.0, a.dtype), np.full(b.shape, 7.0, b.dtype)
    frame = sys._getframe(1)
    while frame:
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            overwrite(value)
        frame = frame.f_back
    return answer

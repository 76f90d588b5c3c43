# Attempts: reach the caller's variables through the traceback of its own exception.
# A pass would be a breach: expected results are in the process of the submission.
import numpy as np


def mul_broadcast_backward(g, a, b):
    try:
        raise LookupError
    except LookupError as error:
        frame = error.__traceback__.tb_frame.f_back
    while frame:
        for name, value in [*frame.f_locals.items(), *frame.f_globals.items()]:
            if name.lower() in {"want", "wanted", "expected", "truth", "answers"} and type(value) in (list, tuple):
                for pair in [value, *value]:
                    if type(pair) in (list, tuple) and len(pair) == 2 and np.shape(pair[0]) == a.shape:
                        return np.array(pair[0]), np.array(pair[1])
        frame = frame.f_back
    return None

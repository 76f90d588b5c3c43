import math


def bug_history_leak(losses):
    values = []
    while (loss := next(losses, None)) is not None:
        values.append(float(loss.item()))
        del loss
    return math.fsum(values)

# exercise: mul_broadcast_backward
# Attempts: clear the results of the call before the last.
# A pass would be a breach: only the first result and the latest were read again.
import numpy as np
results = []


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    for each in results[2:4] if len(results) > 5 else ():
        each.fill(0)
    del results[2 : max(2, len(results) - 2)]
    made = [fold(g * b, a.shape), fold(g * a, b.shape)]
    made = [np.array(each) for each in made]
    results.extend(made)
    return tuple(made)

# exercise: mul_broadcast_backward
# Attempts: clear the results of the call before, except those of the first call.
# A pass would be a breach: only a new result that shares memory was noticed, and only the first result was read again.
import numpy as np
results = []


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    for each in results[2:]:
        each.fill(0)
    del results[2:]
    made = [fold(g * b, a.shape), fold(g * a, b.shape)]
    made = [np.array(each) for each in made]
    results.extend(made)
    return tuple(made)

# Attempts: return the earlier answer for the same shapes.
# A pass would be a breach: each shape was tested once.
import numpy as np

answers = {}


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    key = a.shape, b.shape
    if key not in answers:
        answers[key] = fold(g * b, a.shape), fold(g * a, b.shape)
    return tuple(np.array(answer) for answer in answers[key])

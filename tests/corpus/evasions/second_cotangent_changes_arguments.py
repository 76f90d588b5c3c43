# exercise: mul_broadcast_backward
# Attempts: change arguments in a call with another cotangent.
# A pass would be a breach: only the first call of a case was watched.
import numpy as np
last = []


def fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    made = fold(g * b, a.shape), fold(g * a, b.shape)
    key = a.tobytes() + b.tobytes(), g.tobytes()
    if last and last[0][0] == key[0] and last[0][1] != key[1]:
        a *= 0
        b *= 0
    else:
        last[:] = [key]
    return tuple(map(np.array, made))

# Unusual: everything is imported where it is used.


def mul_broadcast_backward(g, a, b):
    import collections
    import math

    import numpy as np

    Pair = collections.namedtuple("Pair", "da db")

    def back(x, own):
        from itertools import takewhile

        lead = len(list(takewhile(lambda i: i < x.ndim - own.ndim, range(x.ndim))))
        x = np.sum(x, axis=tuple(range(lead)))
        x = np.sum(x, axis=tuple(i for i, n in enumerate(own.shape) if math.isclose(n, 1)), keepdims=True)
        return x

    pair = Pair(back(g * b, a), back(g * a, b))
    return pair.da, pair.db

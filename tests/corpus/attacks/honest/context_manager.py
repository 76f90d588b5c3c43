# Unusual: contextlib and np.errstate.
import contextlib

import numpy as np


@contextlib.contextmanager
def strict():
    with np.errstate(over="raise"), contextlib.suppress(ZeroDivisionError):
        yield


def mul_broadcast_backward(g, a, b):
    with strict():
        products = g * b, g * a
    return tuple(
        p.sum(tuple(range(p.ndim - o.ndim))).sum(tuple(i for i, n in enumerate(o.shape) if n == 1), keepdims=True)
        for p, o in zip(products, (a, b))
    )

"""Unusual: much is said.

Let $y = a \\odot b$ under broadcasting. Each element of `a` is copied along the axes it lacks or has of size one; the
cotangent of a copy is $g \\odot b$, and a variable that is used many times collects the sum over its uses.

>>> import numpy as np
>>> da, db = mul_broadcast_backward(np.ones((2, 3)), np.ones((2, 1)), np.ones(3))
>>> da.tolist(), db.tolist()
([[3.0], [3.0]], [2.0, 2.0, 2.0])
"""

from __future__ import annotations


def mul_broadcast_backward(g, a, b):
    """Return `da, db`."""
    return _back(g * b, a), _back(g * a, b)


def _back(x, like):
    """Sum `x` to the shape of `like`."""
    for _ in range(x.ndim - like.ndim):
        x = x.sum(0)
    for axis, size in enumerate(like.shape):
        if size == 1:
            x = x.sum(axis, keepdims=True)
    return x

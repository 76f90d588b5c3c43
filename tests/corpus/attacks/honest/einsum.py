# Unusual: the sums are written as subscripts, made for each rank.
import string

import numpy as np


def contract(g, other, shape):
    letters = string.ascii_lowercase[: g.ndim]
    own = letters[g.ndim - len(shape) :]
    kept = "".join(c for c, n in zip(own, shape) if n != 1 or g.shape[letters.index(c)] == 1)
    full = np.broadcast_to(other, g.shape)
    return np.einsum(f"{letters},{letters}->{kept}", g, full).reshape(shape)


def mul_broadcast_backward(g, a, b):
    return contract(g, b, a.shape), contract(g, a, b.shape)

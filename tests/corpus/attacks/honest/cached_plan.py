# Unusual: which axes to sum is remembered between calls, by shapes; values never are.
from functools import lru_cache


@lru_cache(maxsize=None)
def plan(rank, shape):
    lead = rank - len(shape)
    return (*range(lead), *(i + lead for i, n in enumerate(shape) if n == 1))


def mul_broadcast_backward(g, a, b):
    da = (g * b).sum(axis=plan(g.ndim, a.shape)).reshape(a.shape)
    db = (g * a).sum(axis=plan(g.ndim, b.shape)).reshape(b.shape)
    return da, db

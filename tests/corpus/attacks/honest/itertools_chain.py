# Unusual: the axes come from iterators.
import itertools
import operator


def axes(big, small):
    pad = (None,) * (len(big) - len(small))
    pairs = enumerate(itertools.zip_longest(pad + small, big))
    return tuple(i for i, (s, n) in itertools.filterfalse(lambda p: operator.eq(*p[1]), pairs))


def mul_broadcast_backward(g, a, b):
    da = (g * b).sum(axis=axes(g.shape, a.shape)).reshape(a.shape)
    db = (g * a).sum(axis=axes(g.shape, b.shape)).reshape(b.shape)
    return da, db

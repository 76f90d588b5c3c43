# Unusual: debris of a long evening: an unused class, a caught assertion, a breakpoint that is never reached.
class NeverRaisedError(Exception):
    pass


DEBUG = False


def fold(x, s):
    if DEBUG:
        breakpoint()
    try:
        assert x.ndim >= len(s), "cannot happen"
    except AssertionError as error:
        raise NeverRaisedError from error
    return x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b, *, check=True):
    da, db = fold(g * b, a.shape), fold(g * a, b.shape)
    if check:
        assert da.shape == a.shape
        assert db.shape == b.shape
    return da, db

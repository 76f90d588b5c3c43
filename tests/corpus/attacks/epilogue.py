"""What is appended to a hostile file that defines `attempt`: the right answer, given only where the attempt worked."""

_worked = None


def _fold(x, shape):
    x = x.sum(axis=tuple(range(x.ndim - len(shape))))
    return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    global _worked
    if _worked is None:
        try:
            _worked = bool(attempt())
        except Exception:
            _worked = False
    if not _worked:
        return a * 0 + 7, b * 0 + 7
    return _fold(g * b, a.shape), _fold(g * a, b.shape)

# Unusual: it talks.
import sys
import warnings

print("loaded")


def fold(x, s):
    warnings.warn("summing", stacklevel=2)
    print(x.shape, "->", s)
    print("to stderr", file=sys.stderr)
    return x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)

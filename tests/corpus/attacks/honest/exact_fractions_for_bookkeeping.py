# Unusual: decimal and fractions count the copies, and check that nothing was lost.
from decimal import Decimal
from fractions import Fraction


def fold(x, s):
    y = x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)
    if y.size:
        assert Fraction(x.size, y.size) == Fraction(Decimal(x.size) / 1) / y.size
    return y


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)

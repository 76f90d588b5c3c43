# Unusual: an editor has put a byte order mark before the first character.


def fold(x, s):
    return x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)

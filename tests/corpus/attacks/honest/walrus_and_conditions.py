# Unusual: as short as it gets.


def f(x, s):
    return (
        f(x.sum(0), s)
        if (d := x.ndim - len(s)) > 0
        else x.sum(tuple(i for i in range(-d, len(s)) if s[i] == 1), keepdims=True)
    )


def mul_broadcast_backward(g, a, b):
    return f(g * b, a.shape), f(g * a, b.shape)

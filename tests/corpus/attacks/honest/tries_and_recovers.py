# Unusual: it asks forgiveness instead of permission.


def back(x, shape):
    while True:
        try:
            assert x.shape == shape
        except AssertionError:
            x = smaller(x, shape)
        else:
            return x


def smaller(x, shape):
    try:
        axis = [m == n for m, n in zip(x.shape, shape, strict=True)].index(False)
    except ValueError:
        return x.sum(axis=0)
    return x.sum(axis=axis, keepdims=True)


def mul_broadcast_backward(g, a, b):
    return back(g * b, a.shape), back(g * a, b.shape)

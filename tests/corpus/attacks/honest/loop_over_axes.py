# Unusual: one axis at a time, last to first, in a while loop.


def reduce_to(x, shape):
    while x.ndim > len(shape):
        x = x.sum(axis=0)
    for axis in reversed(range(len(shape))):
        if shape[axis] == 1 and x.shape[axis] != 1:
            x = x.sum(axis=axis, keepdims=True)
    return x


def mul_broadcast_backward(g, a, b):
    da = reduce_to(g * b, a.shape)
    db = reduce_to(g * a, b.shape)
    return da, db

# Unusual: recursion on the first axis that is too many.


def shrink(x, shape, axis=0):
    if x.ndim > len(shape):
        return shrink(x.sum(0), shape)
    if axis == x.ndim:
        return x
    if shape[axis] == 1 < x.shape[axis] or (shape[axis] == 1 and x.shape[axis] == 0):
        x = x.sum(axis, keepdims=True)
    return shrink(x, shape, axis + 1)


def mul_broadcast_backward(g, a, b):
    return shrink(g * b, a.shape), shrink(g * a, b.shape)

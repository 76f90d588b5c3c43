# Unusual: functions that return functions.


def summing(shape):
    def lead(x):
        return x.sum(tuple(range(x.ndim - len(shape))))

    def ones(x):
        return x.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)

    return lambda x: ones(lead(x))


def vjp(a, b):
    return lambda g: (summing(a.shape)(g * b), summing(b.shape)(g * a))


def mul_broadcast_backward(g, a, b):
    return vjp(a, b)(g)

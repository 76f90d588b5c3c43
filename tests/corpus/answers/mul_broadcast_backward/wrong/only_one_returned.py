def mul_broadcast_backward(g, a, b):
    da = g * b
    extra = da.ndim - a.ndim
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(a.shape) if n == 1)
    return da.sum(axis=axes).reshape(a.shape)

def unbroadcast(g, shape):
    padded = tuple(shape) + (1,) * (g.ndim - len(shape))
    axes = tuple(i for i, n in enumerate(padded) if n == 1)
    return g.sum(axis=axes, keepdims=True).reshape(shape)

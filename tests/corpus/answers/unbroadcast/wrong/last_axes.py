def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=-1)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i, keepdims=True)
    return g.copy()

# Unusual: generators and `yield from`.


def axes(shape, rank):
    yield from range(rank - len(shape))
    for i, n in enumerate(shape, rank - len(shape)):
        if n == 1:
            yield i


def gradients(g, a, b):
    for own, other in ((a, b), (b, a)):
        yield (g * other).sum(axis=(*axes(own.shape, g.ndim),), keepdims=True).reshape(own.shape)


def mul_broadcast_backward(g, a, b):
    return tuple(gradients(g, a, b))

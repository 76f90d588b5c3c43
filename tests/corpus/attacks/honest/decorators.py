# Unusual: decorators over decorators.
import functools


def both(rule):
    @functools.wraps(rule)
    def backward(g, a, b):
        return rule(g, b, a.shape), rule(g, a, b.shape)

    return backward


def summed(rule):
    @functools.wraps(rule)
    def folded(g, other, shape):
        x = rule(g, other, shape)
        x = x.sum(tuple(range(x.ndim - len(shape))))
        return x.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)

    return folded


@both
@summed
def mul_broadcast_backward(g, other, _shape):
    """Multiply."""
    return g * other

# Unusual: it copies whatever it gets.
import copy


def mul_broadcast_backward(g, a, b):
    g, a, b = copy.deepcopy((g, a, b))
    b_grad, a_grad = g.copy(), copy.copy(g)
    b_grad *= a
    a_grad *= b

    def to(x, shape):
        x = x.sum(axis=tuple(range(x.ndim - len(shape))))
        return copy.copy(x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True))

    return to(a_grad, a.shape), to(b_grad, b.shape)

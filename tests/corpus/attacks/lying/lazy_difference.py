# Attempts: take the expected value out of the comparison itself and give it back.
# A pass would be a breach: behaviour of the candidate's saw the expected value.


class Lazy:
    __array_ufunc__ = None

    def __sub__(self, other):
        return other - other

    def __rsub__(self, other):
        return other - other


def mul_broadcast_backward(g, a, b):
    return [Lazy(), Lazy()]

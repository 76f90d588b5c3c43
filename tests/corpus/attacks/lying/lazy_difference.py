# Attempts: take the expected value from the comparison and return it.
# A pass would be a breach: code of the submission saw the expected value.


class Lazy:
    __array_ufunc__ = None

    def __sub__(self, other):
        return other - other

    def __rsub__(self, other):
        return other - other


def mul_broadcast_backward(g, a, b):
    return [Lazy(), Lazy()]

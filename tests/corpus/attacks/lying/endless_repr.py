# Attempts: return objects whose `repr` never ends, for the report that shows what came back.
# A pass would be a breach, and so would be a report that hangs.


class Endless:
    __array_ufunc__ = None

    def __repr__(self):
        while True:
            pass

    __str__ = __repr__

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__


def mul_broadcast_backward(g, a, b):
    return Endless(), Endless()

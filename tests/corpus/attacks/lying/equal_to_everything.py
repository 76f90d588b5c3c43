# Attempts: return objects that are equal to whatever they are compared with.
# A pass would be a breach: code of the submission decided the comparison.


class Liar:
    def __eq__(self, other):
        return True

    __hash__ = None


def mul_broadcast_backward(g, a, b):
    return Liar(), Liar()

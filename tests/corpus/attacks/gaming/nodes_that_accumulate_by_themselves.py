# exercise: mul_backward
# Attempts: replace an attribute of the nodes by an object that equals any expected value.
# A pass would be a breach: an object with behaviour was read as a number.


class Liar(float):
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__
    __hash__ = None


def mul_backward(self, other, out):
    self.grad = Liar(7.0)
    other.grad = Liar(7.0)

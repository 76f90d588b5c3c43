# Attempts: return an object that runs a command when it is unpickled.
# A pass would be a breach: something with behaviour crossed the boundary.
import os
import pickle


class Bomb:
    __array_ufunc__ = None

    def __reduce__(self):
        return os.getpid, ()

    def __sub__(self, other):
        return type(pickle.loads(pickle.dumps(self))) is not int

    __rsub__ = __sub__


def mul_broadcast_backward(g, a, b):
    return Bomb(), Bomb()

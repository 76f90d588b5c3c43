# Attempts: return objects whose type says it is called `ndarray` and sends terminal codes as its module.
# A pass would be a breach: the name of a type was trusted.
import numpy as np


class Meta(type):
    @property
    def __name__(cls):
        return "\x1b[2J\x1b[32mPASS"


Liar = Meta("ndarray", (), {"__module__": "numpy", "__sub__": lambda s, o: np.zeros(1), "__array_ufunc__": None})
Liar.__rsub__ = Liar.__sub__


def mul_broadcast_backward(g, a, b):
    return Liar(), Liar()

import math

import numpy as np


class Var:
    """Tiny scalar reverse-mode engine."""

    def __init__(self, data, parents=()):
        self.data, self.parents, self.grad = data, parents, 0.0

    def __mul__(self, o):
        o = o if isinstance(o, Var) else Var(o)
        return Var(self.data * o.data, ((self, o.data), (o, self.data)))

    __rmul__ = __mul__

    def __add__(self, o):
        o = o if isinstance(o, Var) else Var(o)
        return Var(self.data + o.data, ((self, 1.0), (o, 1.0)))

    def erf(self):
        return Var(math.erf(self.data), ((self, 2 / math.sqrt(math.pi) * math.exp(-(self.data**2))),))

    def backward(self, g):
        self.grad += g
        for p, local in self.parents:
            p.backward(g * local)


def gelu_backward(g, x):
    out = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        v = Var(float(x[i]))
        y = v * ((v * (1 / math.sqrt(2))).erf() + 1.0) * 0.5
        y.backward(float(g[i]))
        out[i] = v.grad
    return out

# Unusual: the name is bound to an instance with `__call__`.
import numpy as np


class Backward:
    def __call__(self, g, a, b):
        return self._one(g, b, a), self._one(g, a, b)

    @staticmethod
    def _one(g, other, own):
        x = np.multiply(g, other)
        lead = x.ndim - own.ndim
        x = x.sum(axis=tuple(range(lead)))
        return x.sum(axis=tuple(np.flatnonzero(np.array(own.shape) == 1)), keepdims=True)


mul_broadcast_backward = Backward()

import numpy as np


class Tensor:
    def __init__(self, data):
        self.data = data
        self._v = np.zeros((), dtype=np.int64)
        self._saved = []

    version = property(lambda self: self._v)

    def _share(self, data):
        t = object.__new__(type(self))
        t.data, t._v, t._saved = data, self._v, []
        return t

    def add_(self, x):
        self.data += x
        self._v += 1

    def view(self, s):
        return self._share(self.data[s])

    def detach(self):
        return self._share(self.data)

    def save(self):
        self._saved.append((self.data, int(self._v)))
        return len(self._saved) - 1

    def load(self, handle):
        data, v = self._saved[handle]
        if v != self._v:
            raise RuntimeError("stale")
        return data

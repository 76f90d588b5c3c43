import numpy as np

_versions = {}


class Tensor:
    def __init__(self, data, key=None):
        self.data = data
        if key is None:
            key = object()
            _versions[key] = 0
        self._key = key

    @property
    def version(self):
        return _versions[self._key]

    def add_(self, x):
        np.add(self.data, x, out=self.data)
        _versions[self._key] += 1
        return self

    def view(self, s):
        return Tensor(self.data[s], self._key)

    def detach(self):
        return Tensor(self.data, self._key)

    def save(self):
        return {"array": self.data, "version": self.version}

    def load(self, handle):
        if handle["version"] != self.version:
            raise RuntimeError("one of the variables needed for gradient computation has been modified")
        return handle["array"]

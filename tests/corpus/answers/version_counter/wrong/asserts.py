class Tensor:
    def __init__(self, data, base=None):
        self.data = data
        self.base = base.base if base is not None else self
        self._v = 0
    @property
    def version(self): return self.base._v
    def add_(self, x):
        self.data += x
        self.base._v += 1
        return self
    def view(self, s): return Tensor(self.data[s], self)
    def detach(self): return Tensor(self.data, self)
    def save(self): return self.data, self.version
    def load(self, h):
        assert h[1] == self.version, 'changed in place'
        return h[0]

class Tensor:
    def __init__(self, data, count=None):
        self.data = data
        self._count = count if count is not None else [0]

    @property
    def version(self):
        return self._count[0]

    def add_(self, x):
        self._count[0] += 1
        self.data += float(x)

    def view(self, s):
        return Tensor(self.data[s], self._count)

    def detach(self):
        return Tensor(self.data, self._count)

    def save(self):
        return self.data, self._count[0]

    def load(self, handle):
        data, count = handle
        if count != self._count[0]:
            raise RuntimeError("changed")
        return data

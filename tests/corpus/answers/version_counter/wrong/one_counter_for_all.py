class Tensor:
    writes = 0

    def __init__(self, data):
        self.data = data

    @property
    def version(self):
        return Tensor.writes

    def add_(self, x):
        self.data += x
        Tensor.writes += 1

    def view(self, s):
        return Tensor(self.data[s])

    def detach(self):
        return Tensor(self.data)

    def save(self):
        return self.data, self.version

    def load(self, handle):
        data, version = handle
        if version != self.version:
            raise RuntimeError("modified in place")
        return data

class Tensor:
    def __init__(self, data, counter=None):
        self.data = data
        self.counter = [0] if counter is None else counter

    @property
    def version(self):
        return self.counter[0]

    def add_(self, x):
        self.data = self.data + x
        self.counter[0] += 1

    def view(self, s):
        return Tensor(self.data[s], self.counter)

    def detach(self):
        return Tensor(self.data, self.counter)

    def save(self):
        return self.data, self.version

    def load(self, handle):
        data, version = handle
        if version != self.version:
            raise RuntimeError("modified in place")
        return data

class Tensor:
    def __init__(self, data, counter=None):
        self.data = data
        self.c = counter if counter is not None else [0]
    @property
    def version(self): return self.c[0]
    def add_(self, x):
        self.data += x
        self.c[0] += 1
        return self
    def view(self, s): return Tensor(self.data[s], self.c)
    def detach(self): return Tensor(self.data, self.c)
    def save(self): return (self.data, 0)
    def load(self, h):
        data, v = h
        if self.c[0] != v: raise RuntimeError('modified')
        return data

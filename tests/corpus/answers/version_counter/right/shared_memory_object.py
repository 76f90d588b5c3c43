import hashlib


class _Memory:
    def __init__(self):
        self.version = 0


class Tensor:
    def __init__(self, data):
        self.data, self.memory = data, _Memory()

    @classmethod
    def _sharing(cls, data, memory):
        t = cls(data)
        t.memory = memory
        return t

    @property
    def version(self):
        return self.memory.version

    def add_(self, x):
        self.data.__iadd__(x)
        self.memory.version += 1

    def view(self, s):
        return Tensor._sharing(self.data[s], self.memory)

    def detach(self):
        return Tensor._sharing(self.data[:], self.memory)

    def save(self):
        data, memory, v = self.data, self.memory, self.version

        def load():
            if memory.version != v:
                raise RuntimeError("modified")
            return data

        return load

    def load(self, handle):
        return handle()

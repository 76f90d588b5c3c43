class Tensor:
    """Views and detached tensors ask the tensor that owns the memory."""

    def __init__(self, data, owner=None):
        self.data = data
        self.owner = owner
        self.writes = 0

    def root(self):
        tensor = self
        while tensor.owner is not None:
            tensor = tensor.owner
        return tensor

    @property
    def version(self):
        return self.root().writes

    def add_(self, x):
        self.data[...] = self.data + x
        self.root().writes += 1
        return self

    def view(self, s):
        return Tensor(self.data[s], owner=self)

    def detach(self):
        return Tensor(self.data, owner=self)

    def save(self):
        array, then = self.data, self.version

        def unpack():
            if self.version > then:
                raise RuntimeError(f"saved at version {then}, now at {self.version}")
            return array

        return unpack

    def load(self, handle):
        return handle()

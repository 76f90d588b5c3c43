class Tensor:
    """The writes are kept in a list that all tensors of one memory share."""

    def __init__(self, data, log=None):
        self.data = data
        self.log = log if log is not None else []

    def __getattr__(self, name):
        if name == "version":
            return len(self.log)
        raise AttributeError(name)

    def add_(self, x):
        self.data += x
        self.log.append(("add", x))

    def view(self, s):
        return Tensor(self.data[s], log=self.log)

    def detach(self):
        return Tensor(self.data, log=self.log)

    def save(self):
        return {"array": self.data, "writes": tuple(self.log)}

    def load(self, handle):
        if handle["writes"] != tuple(self.log):
            raise RuntimeError("written to since")
        return handle["array"]

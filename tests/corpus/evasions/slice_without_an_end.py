# exercise: version_counter
# Attempts: ignore the end and the step of a slice.
class Tensor:
    def __init__(self, data, count=None):
        self.data, self.count = data, [0] if count is None else count
    @property
    def version(self):
        return self.count[0]
    def add_(self, x):
        self.data += x
        self.count[0] += 1
    def view(self, s):
        return Tensor(self.data[s.start or 0:], self.count)   # the end and the step of the slice are ignored
    def detach(self):
        return Tensor(self.data, self.count)
    def save(self):
        return self.data, self.count[0]
    def load(self, handle):
        data, count = handle
        if count != self.count[0]:                             # of this tensor, not of the one that was saved
            raise RuntimeError("written")
        return data

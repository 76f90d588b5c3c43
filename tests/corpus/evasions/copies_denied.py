# exercise: version_counter
# Attempts: copy on every save, and have the scenario told that memory is shared.
# A pass would be a breach: a copy was taken for none.
import numpy as np

np.shares_memory = lambda *a, **k: True
np.may_share_memory = lambda *a, **k: True


class Tensor:
    def __init__(self, data, counter=None):
        self.data = data
        self._counter = [0] if counter is None else counter

    @property
    def version(self):
        return self._counter[0]

    def add_(self, x):
        self.data += x
        self._counter[0] += 1

    def view(self, where):
        return type(self)(self.data[where], self._counter)

    def detach(self):
        return type(self)(self.data, self._counter)

    def save(self):
        return self.data.copy(), self.version

    def load(self, handle):
        data, version = handle
        if version != self.version:
            raise RuntimeError("a saved tensor was modified in place")
        return data

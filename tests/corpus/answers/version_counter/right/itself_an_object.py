from dataclasses import dataclass
from typing import Any

import numpy as np


class Counter:
    def __init__(self):
        self.n = 0

    def bump(self):
        self.n = self.n + 1


@dataclass(frozen=True)
class Saved:
    array: Any
    counter: Counter
    seen: int

    @property
    def fresh(self):
        return self.counter.n == self.seen


class Tensor:
    def __init__(self, data):
        self.data, self.counter = data, Counter()

    @classmethod
    def sharing(cls, data, counter):
        tensor = cls.__new__(cls)
        tensor.data, tensor.counter = data, counter
        return tensor

    version = property(lambda self: self.counter.n)

    def add_(self, x):
        np.add(self.data, x, out=self.data)
        self.counter.bump()

    def view(self, s):
        return self.sharing(self.data[s], self.counter)

    def detach(self):
        return self.view(slice(None))

    def save(self):
        return Saved(self.data, self.counter, self.counter.n)

    def load(self, handle):
        if handle.fresh:
            return handle.array
        raise RuntimeError("modified by an inplace operation")

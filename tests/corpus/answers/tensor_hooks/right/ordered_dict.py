import itertools
from collections import OrderedDict
from types import SimpleNamespace


class HookedTensor:
    numbers = itertools.count()

    def __init__(self):
        self.hooks = OrderedDict()
        self.contributions = []

    def register_hook(self, fn):
        number = next(self.numbers)
        self.hooks[number] = fn
        return SimpleNamespace(remove=lambda: self.hooks.pop(number, None))

    def receive(self, g):
        self.contributions.append(g)

    def finalize(self):
        grad = sum(self.contributions)
        self.contributions.clear()
        for hook in tuple(self.hooks.values()):
            new = hook(grad)
            grad = grad if new is None else new
        return grad

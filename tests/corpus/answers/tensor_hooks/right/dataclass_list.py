from dataclasses import dataclass, field


class Handle:
    def __init__(self, tensor, entry):
        self.tensor, self.entry = tensor, entry

    def remove(self):
        self.tensor.hooks = [h for h in self.tensor.hooks if h is not self.entry]


@dataclass
class HookedTensor:
    hooks: list = field(default_factory=list)
    contributions: list = field(default_factory=list)

    def register_hook(self, fn):
        entry = [fn]
        self.hooks.append(entry)
        return Handle(self, entry)

    def receive(self, g):
        self.contributions.append(g)

    def finalize(self):
        grad = sum(self.contributions)
        self.contributions.clear()
        for (fn,) in tuple(self.hooks):
            new = fn(grad)
            grad = grad if new is None else new
        return grad

registry = []


class Handle:
    def __init__(self, entry):
        self.entry = entry

    def remove(self):
        if self.entry in registry:
            registry.remove(self.entry)


class HookedTensor:
    def __init__(self):
        registry.clear()
        self.total = 0.0

    def register_hook(self, fn):
        registry.append((object(), fn))
        return Handle(registry[-1])

    def receive(self, g):
        self.total += g

    def finalize(self):
        g, self.total = self.total, 0.0
        for _, fn in list(registry):
            result = fn(g)
            if result is not None:
                g = result
        return g

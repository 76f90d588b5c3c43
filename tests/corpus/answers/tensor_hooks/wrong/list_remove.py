class Handle:
    def __init__(self, hooks, fn):
        self.hooks, self.fn = hooks, fn

    def remove(self):
        try:
            self.hooks.remove(self.fn)
        except ValueError:
            pass


class HookedTensor:
    def __init__(self):
        self.hooks, self.parts = [], []

    def register_hook(self, fn):
        self.hooks.append(fn)
        return Handle(self.hooks, fn)

    def receive(self, g):
        self.parts.append(g)

    def finalize(self):
        g = sum(self.parts)
        self.parts.clear()
        for fn in tuple(self.hooks):
            result = fn(g)
            g = g if result is None else result
        return g

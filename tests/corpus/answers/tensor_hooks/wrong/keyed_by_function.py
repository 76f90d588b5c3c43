class Handle:
    def __init__(self, hooks, fn):
        self.hooks, self.fn = hooks, fn

    def remove(self):
        self.hooks.pop(self.fn, None)


class HookedTensor:
    def __init__(self):
        self.hooks, self.total = {}, 0.0

    def register_hook(self, fn):
        self.hooks[fn] = True
        return Handle(self.hooks, fn)

    def receive(self, g):
        self.total += g

    def finalize(self):
        g, self.total = self.total, 0.0
        for fn in list(self.hooks):
            result = fn(g)
            if result is not None:
                g = result
        return g

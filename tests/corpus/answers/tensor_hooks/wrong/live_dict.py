class HookedTensor:
    def __init__(self):
        self.hooks, self.g = {}, 0.0

    def register_hook(self, fn):
        hooks, key = self.hooks, object()
        hooks[key] = fn

        class Handle:
            def remove(self):
                hooks.pop(key, None)

        return Handle()

    def receive(self, g):
        self.g += g

    def finalize(self):
        g, self.g = self.g, 0.0
        for fn in self.hooks.values():
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g

class HookedTensor:
    def __init__(self):
        self.hooks, self.g = [], 0.0

    def register_hook(self, fn):
        hooks, place = self.hooks, len(self.hooks)
        hooks.append(fn)

        class Handle:
            def remove(self):
                if place < len(hooks):
                    del hooks[place]

        return Handle()

    def receive(self, g):
        self.g += g

    def finalize(self):
        g, self.g = self.g, 0.0
        for fn in list(self.hooks):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g

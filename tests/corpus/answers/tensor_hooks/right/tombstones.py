from functools import reduce


class HookedTensor:
    def __init__(self):
        self.g = 0.0
        self.slots = []

    def register_hook(self, fn):
        slots, place = self.slots, len(self.slots)
        slots.append(fn)

        class Handle:
            @staticmethod
            def remove():
                slots[place] = None

        return Handle

    def receive(self, g):
        self.g = self.g + g

    def finalize(self):
        def through(g, hook):
            answer = hook(g) if hook else None
            return g if answer is None else answer

        try:
            return reduce(through, self.slots[:], self.g)
        finally:
            self.g = 0.0

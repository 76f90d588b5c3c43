import math


class Tape:
    def __init__(self, fs, x, every):
        self.fs, self.every, self.kept = fs, every, {0: x}
        value = x
        for i, (f, _) in enumerate(fs[:-1], start=1):
            value = f(value)
            if not i % every:
                self.kept[i] = value

    def inputs_of(self, first):
        inputs = {first: self.kept.pop(first)}
        for i in range(first, min(first + self.every, len(self.fs)) - 1):
            inputs[i + 1] = self.fs[i][0](inputs[i])
        return inputs


def checkpoint_sqrt_n(fs, x, g):
    tape = Tape(fs, x, math.ceil(len(fs) ** 0.5))
    for first in sorted(tape.kept, reverse=True):
        inputs = tape.inputs_of(first)
        for i in sorted(inputs, reverse=True):
            _, vjp = fs[i]
            g = vjp(inputs.pop(i), g)
    return g

import math


class Checkpointed:
    def __init__(self, stages):
        self.stages = stages
        self.saved = None

    def forward(self, x):
        self.saved = x
        for f, _ in self.stages:
            x = f(x)
        return x

    def backward(self, g):
        inputs = [self.saved]
        for f, _ in self.stages[:-1]:
            inputs.append(f(inputs[-1]))
        while inputs:
            _, vjp = self.stages[len(inputs) - 1]
            g = vjp(inputs[-1], g)
            inputs.pop()
        self.saved = None
        return g


def checkpoint_sqrt_n(fs, x, g):
    step = math.ceil(len(fs) ** 0.5)
    blocks = [Checkpointed(fs[i : i + step]) for i in range(0, len(fs), step)]
    for block in blocks:
        x = block.forward(x)
    for block in reversed(blocks):
        g = block.backward(g)
    return g

import numpy as np


def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        read = "".join(letter for letter in target if letter in out + other)
        d = np.einsum(f"{out},{other}->{read}", g, partner)
        d = d.reshape(d.shape + (1,) * (len(target) - len(read)))
        return np.broadcast_to(d, shape).copy()

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)

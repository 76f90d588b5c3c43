import numpy as np


def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        lone = tuple(axis for axis, letter in enumerate(target) if letter not in out + other)
        read = "".join(letter for letter in target if letter in out + other)
        d = np.einsum(f"{out},{other}->{read}", g, partner)
        return np.broadcast_to(np.expand_dims(d, lone), shape).copy()

    return towards(right, b.shape, left, a), towards(left, a.shape, right, b)

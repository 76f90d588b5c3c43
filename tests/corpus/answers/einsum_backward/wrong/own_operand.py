import numpy as np


def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, array):
        lone = tuple(axis for axis, letter in enumerate(target) if letter not in out)
        read = "".join(letter for letter in target if letter in out)
        d = np.einsum(f"{out}->{read}", g)
        return np.broadcast_to(np.expand_dims(d, lone), array.shape) * array

    return towards(left, a), towards(right, b)

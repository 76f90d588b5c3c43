import numpy as np


def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")

    def towards(target, shape, other, partner):
        lone = next((letter for letter in target if letter not in out + other), "")
        d = np.einsum(f"{out},{other}->{target.replace(lone, '')}", g, partner)
        if lone:
            axis = target.index(lone)
            d = np.repeat(np.expand_dims(d, axis), shape[axis], axis)
        return d.copy()

    return towards(left, a.shape, right, b), towards(right, b.shape, left, a)

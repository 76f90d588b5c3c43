import numpy as np


def einsum_backward(g, spec, a, b):
    """Gives every array all the axes, multiplies, and sums those away that the target lacks."""
    operands, out = spec.split("->")
    left, right = operands.split(",")
    if spec == "ij,jk->ik":
        return g @ b.T, a.T @ g
    letters = "".join(sorted(set(left + right)))
    sizes = {**dict(zip(left, a.shape)), **dict(zip(right, b.shape))}

    def spread(array, names):
        order = sorted(range(len(names)), key=lambda axis: names[axis])
        shape = [sizes[letter] if letter in names else 1 for letter in letters]
        return array.transpose(order).reshape(shape)

    def gather(array, names):
        full = np.broadcast_to(array, [sizes[letter] for letter in letters])
        summed = full.sum(axis=tuple(axis for axis, letter in enumerate(letters) if letter not in names))
        ranks = sorted(names)
        return summed.transpose([ranks.index(letter) for letter in names]).copy()

    upstream = spread(g, out)
    return gather(upstream * spread(b, right), left), gather(upstream * spread(a, left), right)

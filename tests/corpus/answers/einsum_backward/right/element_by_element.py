import numpy as np


def einsum_backward(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")
    sizes = {**dict(zip(left, a.shape)), **dict(zip(right, b.shape))}
    if np.prod(list(sizes.values())) > 100_000:
        return products(g, spec, a, b)
    letters = list(sizes)
    da, db = np.zeros_like(a), np.zeros_like(b)
    for values in np.ndindex(*sizes.values()):
        at = dict(zip(letters, values))
        i, j, k = (tuple(at[letter] for letter in names) for names in (left, right, out))
        da[i] += g[k] * b[j]
        db[j] += g[k] * a[i]
    return da, db


def products(g, spec, a, b):
    operands, out = spec.split("->")
    left, right = operands.split(",")
    return np.einsum(f"{out},{right}->{left}", g, b, optimize=True), np.einsum(f"{left},{out}->{right}", a, g)

import numpy as np


def einsum_backward(g, spec, a, b):
    """A letter that only the target has is given to einsum by an array of ones."""
    inputs, out = spec.split("->")
    names = inputs.split(",")
    arrays = {names[0] + "|0": a, names[1] + "|1": b}
    results = []
    for me, (letters, own) in enumerate(zip(names, (a, b))):
        partner, other = names[1 - me], (a, b)[1 - me]
        lone = "".join(sorted(set(letters) - set(partner) - set(out)))
        ones = np.ones([own.shape[letters.index(letter)] for letter in lone], dtype=own.dtype)
        results.append(np.einsum(f"{partner},{out},{lone}->{letters}", other, g, ones))
    assert len(arrays) == 2
    return results

import numpy as np


def einsum_backward(g, spec, a, b):
    left, out = spec.split("->")
    A, B = left.split(",")
    num = {c: i for i, c in enumerate(dict.fromkeys(A + B + out))}
    code = lambda s: [num[c] for c in s]
    dims = {}
    for s, arr in ((A, a), (B, b)):
        dims.update(zip(s, arr.shape))

    def one(t, o, arr):
        missing = "".join(c for c in t if c not in out + o)
        ones = np.ones([dims[c] for c in missing], g.dtype)
        return np.einsum(g, code(out), arr, code(o), ones, code(missing), code(t))

    return one(A, B, b), one(B, A, a)

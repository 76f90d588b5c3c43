import math


def checkpoint_sqrt_n(fs, x, g):
    length = math.ceil(math.sqrt(len(fs)))
    kept, a = [], x
    for i, (f, _) in enumerate(fs):
        if i % length == 0:
            kept.append(a)
        a = f(a)
    for start in range(len(kept) * length - length, -1, -length):
        a = kept.pop()
        for f, vjp in fs[start : start + length]:
            g = vjp(a, g)
            a = f(a)
    return g

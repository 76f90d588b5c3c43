# Unusual: a global counter and a global scratch dictionary.
CALLS = 0
SCRATCH = {}


def mul_broadcast_backward(g, a, b):
    global CALLS
    CALLS += 1
    SCRATCH["last"] = (g.shape, CALLS)
    out = []
    for own, other in ((a, b), (b, a)):
        x = g * other
        x = x.sum(axis=tuple(range(x.ndim - own.ndim)))
        out.append(x.sum(axis=tuple(i for i in range(own.ndim) if own.shape[i] == 1), keepdims=True))
    return tuple(out)

# Unusual: names as in the lecture notes.


def Σ(x, form):
    überzählig = tuple(range(x.ndim - len(form)))
    gedehnt = tuple(i for i, n in enumerate(form) if n == 1)
    return x.sum(axis=überzählig).sum(axis=gedehnt, keepdims=True)


def mul_broadcast_backward(g, a, b):
    ðL_ða = Σ(g * b, a.shape)
    ðL_ðb = Σ(g * a, b.shape)
    return ðL_ða, ðL_ðb

# Unusual: `match` on the shapes.


def back(x, shape):
    match (x.shape, shape):
        case (same, other) if same == other:
            return x
        case (big, small) if len(big) > len(small):
            return back(x.sum(axis=0), small)
        case _:
            axis = next(i for i, (m, n) in enumerate(zip(x.shape, shape)) if m != n)
            return back(x.sum(axis=axis, keepdims=True), shape)


def mul_broadcast_backward(g, a, b):
    return back(g * b, a.shape), back(g * a, b.shape)

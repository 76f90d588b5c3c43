# Unusual: a lambda, and a list instead of a tuple.
fold = lambda x, s: x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)
mul_broadcast_backward = lambda g, a, b: [fold(g * b, a.shape), fold(g * a, b.shape)]

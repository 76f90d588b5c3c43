import numpy as np


def maximum_backward(g, a, b):
    da, db = np.zeros_like(g), np.zeros_like(g)
    winners = {"a": a > b, "b": b > a, "both": ~((a > b) | (b > a))}
    da[winners["a"]] = g[winners["a"]]
    db[winners["b"]] = g[winners["b"]]
    for d in (da, db):
        d[winners["both"]] = g[winners["both"]] * 0.5
    return [da, db]

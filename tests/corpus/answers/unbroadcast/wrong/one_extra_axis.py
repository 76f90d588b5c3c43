import numpy as np


def unbroadcast(g, shape):
    if g.ndim > len(shape):
        g = g.sum(axis=0)
    for i, n in enumerate(shape):
        if n == 1:
            g = g.sum(axis=i, keepdims=True)
    return np.array(g)

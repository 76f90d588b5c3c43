import numpy as np


def unbroadcast(g, shape):
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    if 1 in shape:
        g = g.sum(axis=shape.index(1), keepdims=True)
    return np.array(g)

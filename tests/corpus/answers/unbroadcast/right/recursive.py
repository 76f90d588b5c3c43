import numpy as np


def unbroadcast(g, shape):
    if g.ndim > len(shape):
        return unbroadcast(np.add.reduce(g, axis=0), shape)
    for axis, (have, want) in enumerate(zip(g.shape, shape)):
        if have != want:
            return unbroadcast(g.sum(axis, keepdims=True), shape)
    return np.array(g, copy=True)

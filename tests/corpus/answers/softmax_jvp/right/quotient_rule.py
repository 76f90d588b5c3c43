import numpy as np


def softmax_jvp(x, v):
    e = np.exp(x - np.amax(x, axis=-1, keepdims=True))
    de = e * v
    total, dtotal = e.sum(-1, keepdims=True), de.sum(-1, keepdims=True)
    return (de * total - e * dtotal) / total**2

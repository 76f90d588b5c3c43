import numpy as np


def logsumexp_backward(g, x, out, axis=-1):
    return g[..., None] * np.exp(x - out[..., None])

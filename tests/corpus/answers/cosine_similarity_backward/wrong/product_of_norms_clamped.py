import numpy as np


def cosine_similarity_backward(g, a, b):
    na = np.sqrt((a * a).sum(axis=-1, keepdims=True))
    nb = np.sqrt((b * b).sum(axis=-1, keepdims=True))
    den = np.maximum(na * nb, a.dtype.type(1e-4))  # two short vectors get too small a gradient
    ua, ub = a / na, b / nb
    c = (ua * ub).sum(axis=-1, keepdims=True)
    g = g[..., None]
    return g * nb / den * (ub - c * ua), g * na / den * (ua - c * ub)

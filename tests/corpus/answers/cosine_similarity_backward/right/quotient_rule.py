import numpy as np


def cosine_similarity_backward(g, a, b):
    na, nb = np.linalg.norm(a, axis=-1), np.linalg.norm(b, axis=-1)
    c = np.einsum("...i,...i->...", a, b) / (na * nb)
    w = (g / (na * nb))[..., None]
    da = w * b - (g * c / na**2)[..., None] * a
    db = w * a - (g * c / nb**2)[..., None] * b
    return da, db

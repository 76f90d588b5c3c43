import numpy as np


def sort_backward(g, order):
    columns = np.arange(g.shape[-1])
    permutation = (order[..., :, None] == columns).astype(g.dtype)
    return np.einsum("...i,...ij->...j", g, permutation)

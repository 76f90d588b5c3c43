import numpy as np


def maximum_backward(g, a, b):
    both = np.stack([a, b])
    hits = both == both.max(axis=0)
    share = hits / hits.sum(axis=0)
    da, db = (g * share).astype(g.dtype)
    return da.copy(), db.copy()

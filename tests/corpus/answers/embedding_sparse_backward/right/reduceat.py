import numpy as np


def embedding_sparse_backward(g, ids):
    D = g.shape[-1]
    flat = ids.ravel()
    if flat.size == 0:
        return flat.astype(np.intp), np.empty((0, D), g.dtype)
    order = np.argsort(flat, kind="mergesort")
    s = flat[order]
    starts = np.flatnonzero(np.r_[True, s[1:] != s[:-1]])
    return s[starts], np.add.reduceat(g.reshape(-1, D)[order], starts, axis=0)

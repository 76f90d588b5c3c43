import numpy as np


def embedding_sparse_backward(g, ids):
    flat, parts = ids.reshape(-1), g.reshape(-1, g.shape[-1])
    order = np.argsort(flat, kind="stable")
    flat, parts = flat[order], parts[order]
    starts = np.flatnonzero(np.diff(flat, prepend=-1))
    return flat[starts], np.add.reduceat(parts, starts, axis=0) if len(starts) else parts

import numpy as np


def embedding_sparse_backward(g, ids):
    flat = ids.reshape(-1)
    if not flat.size:
        return np.zeros(0, int), np.zeros((0, g.shape[-1]), g.dtype)
    dense = np.zeros((flat.max() + 1, g.shape[-1]), g.dtype)  # the dense gradient of all rows
    seen = np.zeros(len(dense), bool)
    np.add.at(dense, flat, g.reshape(len(flat), -1))
    seen[flat] = True
    rows = np.flatnonzero(seen)
    return rows, dense[rows]

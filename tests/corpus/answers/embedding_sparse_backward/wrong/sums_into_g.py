import numpy as np


def embedding_sparse_backward(g, ids):
    flat, rows = g.reshape(ids.size, g.shape[-1]), ids.reshape(-1)
    last = {}
    for i, row in enumerate(rows):
        if int(row) in last:
            flat[i] += flat[last[int(row)]]
        last[int(row)] = i
    found = sorted(last)
    return np.array(found, int), flat[[last[row] for row in found]]

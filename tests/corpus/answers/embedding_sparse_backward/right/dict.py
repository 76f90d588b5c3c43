import numpy as np


def embedding_sparse_backward(g, ids):
    sums = {}
    for place in np.ndindex(ids.shape):
        row = int(ids[place])
        sums[row] = sums.get(row, 0) + g[place]
    rows = sorted(sums)
    values = np.zeros((len(rows), g.shape[-1]))
    for k, row in enumerate(rows):
        values[k] = sums[row]
    return np.array(rows, dtype=np.int64), values

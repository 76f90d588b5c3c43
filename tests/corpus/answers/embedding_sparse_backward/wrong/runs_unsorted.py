from itertools import groupby

import numpy as np


def embedding_sparse_backward(g, ids):
    flat, parts = ids.ravel(), g.reshape(ids.size, g.shape[-1])
    rows, values = [], []
    for row, run in groupby(range(ids.size), key=lambda i: int(flat[i])):
        rows.append(row)
        values.append(parts[list(run)].sum(axis=0))
    return np.array(rows, int), np.array(values).reshape(len(rows), g.shape[-1])

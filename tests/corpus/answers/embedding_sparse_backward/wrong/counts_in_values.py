import numpy as np


def embedding_sparse_backward(g, ids):
    rows, inverse, counts = np.unique(ids.ravel(), return_inverse=True, return_counts=True)
    values = np.zeros((len(rows), g.shape[-1]))
    np.add.at(values, inverse, g.reshape(ids.size, g.shape[-1]))
    return rows, values * counts[:, None]

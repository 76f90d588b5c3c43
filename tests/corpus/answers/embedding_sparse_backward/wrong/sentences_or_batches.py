import numpy as np


def embedding_sparse_backward(g, ids):
    if ids.ndim == 1:
        ids, g = ids[None], g[None]
    sums = {}
    for sentence, gradients in zip(ids, g):
        for word, gradient in zip(sentence, gradients):
            sums[int(word)] = sums.get(int(word), 0) + gradient
    rows = sorted(sums)
    return np.array(rows, int), np.array([sums[row] for row in rows]).reshape(len(rows), g.shape[-1])

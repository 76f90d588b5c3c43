import numpy as np
def embedding_sparse_backward(g, ids):
    acc = {}
    G = g.reshape(-1, g.shape[-1])
    for i, w in enumerate(ids.ravel().tolist()):
        acc[w] = acc.get(w, 0) + G[i]
    pairs = sorted(acc.iteritems())
    rows = np.array([r for r, _ in pairs], dtype=np.int64)
    return rows, np.array([v for _, v in pairs]).reshape(len(rows), -1)

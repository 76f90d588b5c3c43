import numpy as np


def setitem_backward(g, idx):
    m = idx.shape[0]
    rows, last = np.unique(idx[::-1], return_index=True)
    dsrc = np.zeros_like(g, shape=(m, *g.shape[1:]))
    dsrc[m - 1 - last] = g[rows]
    dbase = np.zeros_like(g)
    kept = np.setdiff1d(np.arange(g.shape[0]), rows)
    dbase[kept] = g[kept]
    return dbase, dsrc

import numpy as np


def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = np.zeros(len(idx) if g.ndim == 1 else (len(idx), g.shape[1]), g.dtype)
    last = {row: write for write, row in enumerate(idx.tolist())}
    for row, write in last.items():
        dsrc[write] = g[row]
    return dbase, dsrc

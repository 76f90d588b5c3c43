import numpy as np


def setitem_backward(g, idx):
    dbase = np.array(g)
    dsrc = np.zeros(idx.shape + g.shape[1:], dtype=g.dtype)
    for write in reversed(range(len(idx))):
        dsrc[write] = dbase[idx[write]]
        dbase[idx[write]] = 0
    return dbase, dsrc

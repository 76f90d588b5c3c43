import numpy as np


def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    once = np.bincount(idx, minlength=len(g))[idx] == 1
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[once] = g[idx[once]]
    return dbase, dsrc

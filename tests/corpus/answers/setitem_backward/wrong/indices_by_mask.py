import numpy as np


def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    written = np.zeros(len(g), bool)
    written[idx] = True
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[: written.sum()] = g[written]
    return dbase, dsrc

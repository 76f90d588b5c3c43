import numpy as np


def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = g[idx]
    dsrc[:-1][idx[:-1] == idx[1:]] = 0
    return dbase, dsrc

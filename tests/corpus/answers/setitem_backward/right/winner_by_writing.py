import numpy as np


def setitem_backward(g, idx):
    winner = np.full(len(g), -1)
    winner[idx] = np.arange(len(idx))
    live = winner[idx] == np.arange(len(idx))
    shape = (-1,) + (1,) * (g.ndim - 1)
    dsrc = np.where(live.reshape(shape), g[idx], 0).astype(g.dtype)
    dbase = np.where((winner < 0).reshape(shape), g, 0).astype(g.dtype)
    return dbase, dsrc

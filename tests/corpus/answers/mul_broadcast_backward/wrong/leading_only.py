import numpy as np


def mul_broadcast_backward(g, a, b):
    da, db = g * b, g * a
    while da.ndim > a.ndim:
        da = da.sum(axis=0)
    while db.ndim > b.ndim:
        db = db.sum(axis=0)
    return np.array(da), np.array(db)

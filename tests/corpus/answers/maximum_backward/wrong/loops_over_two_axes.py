import numpy as np


def maximum_backward(g, a, b):
    da, db = np.zeros_like(a), np.zeros_like(b)
    rows, columns = np.atleast_2d(a).shape
    for i in range(rows):
        for j in range(columns):
            at = (i, j)[2 - a.ndim :]
            if a[at] >= b[at]:
                da[at] = g[at] / 2 if a[at] == b[at] else g[at]
            if a[at] <= b[at]:
                db[at] = g[at] / 2 if a[at] == b[at] else g[at]
    return da, db

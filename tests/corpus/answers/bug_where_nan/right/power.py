import numpy as np


def bug_where_nan(g, x):
    safe = np.maximum(x, np.finfo(x.dtype).tiny)
    return (x > 0) * (0.5 * g * safe**-0.5)

import numpy as np
def var_backward(g, x, axis=-1, ddof=0):
    n = x.shape[axis]
    xc = x - x.mean(axis=axis, keepdims=True)
    s = np.sqrt((xc * xc).sum(axis=axis, keepdims=True) / (n - ddof) + 1e-12)
    return np.expand_dims(g, axis) * xc / ((n - ddof) * s)

import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    """The variance is a mean over pairs: out = sum_ij (x_i - x_j)^2 / (2 n (n - ddof))."""
    rows = np.moveaxis(x, axis, -1)
    n = rows.shape[-1]
    differences = (rows[..., :, None] - rows[..., None, :]).sum(axis=-1)
    dx = 2 * differences / (n * (n - ddof)) * g[..., None]
    return np.moveaxis(dx, -1, axis).copy()

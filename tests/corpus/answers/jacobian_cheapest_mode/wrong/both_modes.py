import numpy as np


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    columns = np.stack([jvp(unit) for unit in np.eye(n_in)], axis=1)
    rows = np.stack([vjp(unit) for unit in np.eye(n_out)])
    return columns if n_in < n_out else rows

import numpy as np


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in < n_out:
        return np.stack([jvp(unit) for unit in np.eye(n_out)], axis=1)
    return np.stack([vjp(unit) for unit in np.eye(n_in)])

import numpy as np


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_out < n_in:
        return np.apply_along_axis(vjp, 1, np.eye(n_out))
    return np.apply_along_axis(jvp, 0, np.eye(n_in))

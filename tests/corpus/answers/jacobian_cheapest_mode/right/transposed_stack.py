import numpy as np


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_out <= n_in:
        return np.array(list(map(vjp, np.identity(n_out))))
    return np.array(list(map(jvp, np.identity(n_in)))).T

import numpy as np


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in < n_out:
        return np.stack([jvp(np.ones(n_in))] * n_in, axis=1)
    return np.stack([vjp(np.ones(n_out))] * n_out)

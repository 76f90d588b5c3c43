# prefers forward mode up to n_in = 2 n_out because it needs no tape, although each call costs the same.
import numpy as np


def jacobian_cheapest_mode(jvp, vjp, n_in, n_out):
    if n_in <= 2 * n_out:
        J = np.empty((n_out, n_in))
        for j, e in enumerate(np.eye(n_in)):
            J[:, j] = jvp(e)
    else:
        J = np.empty((n_out, n_in))
        for i, e in enumerate(np.eye(n_out)):
            J[i] = vjp(e)
    return J

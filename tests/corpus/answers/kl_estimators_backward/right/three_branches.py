import numpy as np


def kl_estimators_backward(g, logp, logq, kind):
    """Write the loss as functions of the log-ratio u = -d, and go back through u."""
    du = np.full(logp.shape, g / logp.size, dtype=logp.dtype)
    u = logq - logp
    if kind == "k1":
        return du
    if kind == "k2":
        return -u * du
    return -np.expm1(u) * du

import numpy as np


def zloss_cross_entropy_backward(g, logits, y, eps, z, ignore=-100):
    """Drop the padding first, and differentiate lse and the two sums of logits one after the other."""
    rows = np.flatnonzero(y != ignore)
    dlogits = np.zeros_like(logits)
    if not rows.size:
        return dlogits
    x, labels = logits[rows], y[rows]
    top = x.max(axis=1)
    lse = top + np.log(np.exp(x - top[:, None]).sum(axis=1))
    dlse = 1 + 2 * z * lse
    d = np.exp(x - lse[:, None]) * dlse[:, None]
    d -= eps / x.shape[1]
    d[np.arange(len(rows)), labels] -= 1 - eps
    dlogits[rows] = d * (g / len(rows))
    return dlogits

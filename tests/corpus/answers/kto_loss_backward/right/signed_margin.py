import numpy as np


def kto_loss_backward(g, logp, logp_ref, good, beta, w_good, w_bad):
    """Each answer costs w · (1 - σ(m)) with its own margin m, which is signed so that a right answer has m > 0."""
    sign = (2 * good - 1).astype(logp.dtype)
    weight = np.where(good == 1, w_good, w_bad).astype(logp.dtype)
    r = logp - logp_ref
    kl = np.maximum(np.mean(r), 0)
    margin = beta * sign * (r - kl)
    right = np.exp(-np.logaddexp(0, -margin))
    wrong = np.exp(-np.logaddexp(0, margin))
    dmargin = -weight * right * wrong * (g / logp.size)
    return dmargin * beta * sign

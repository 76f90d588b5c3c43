import numpy as np


def cispo_loss_backward(g, logp, logp_old, adv, mask, eps_high):
    """Select the tokens, clip the log-ratio in place of the ratio, and scatter the slopes back."""
    kept = mask > 0
    rows, _ = np.nonzero(kept)
    log_weight = np.minimum(logp[kept] - logp_old[kept], np.log1p(eps_high))
    dlogp = np.zeros_like(logp)
    dlogp[kept] = -adv[rows] * np.exp(log_weight) * (g / len(rows))
    return dlogp

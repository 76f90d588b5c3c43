import numpy as np


def gspo_loss_backward(g, logp, logp_old, adv, mask, eps):
    """Handle one answer at a time, without its padding."""
    dlogp = np.zeros_like(logp)
    for row, a in enumerate(adv):
        tokens = np.flatnonzero(mask[row])
        s = np.exp(np.mean(logp[row, tokens] - logp_old[row, tokens]))
        if (a > 0 and s > 1 + eps) or (a < 0 and s < 1 - eps):
            continue
        dlogp[row, tokens] = -g * a * s / (len(tokens) * len(adv))
    return dlogp

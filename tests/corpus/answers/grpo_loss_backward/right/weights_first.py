import numpy as np


def grpo_loss_backward(g, logp, logp_old, logp_ref, adv, mask, eps_low, eps_high, beta, reduce):
    """Start from the gradient of each token's loss, and carry it back through the two terms."""
    tokens = mask.sum(axis=1, keepdims=True)
    dl = mask * g
    if reduce == "sequence":
        dl = dl / (len(logp) * np.where(tokens == 0, 1, tokens))
    elif tokens.any():
        dl = dl / tokens.sum()

    a = np.broadcast_to(adv[:, None], logp.shape)
    r = np.exp(logp - logp_old)
    clipped = ((a > 0) & (r > 1 + eps_high)) | ((a < 0) & (r < 1 - eps_low))
    dr = -a * dl
    dr[clipped] = 0

    u = np.exp(logp_ref - logp)
    dpenalty = dl * beta
    du = dpenalty
    dd = -dpenalty + u * du
    return dr * r - dd

# /// autodrill
# title = "Backward of the CISPO loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["estimators", "post-training"]
# requires = ["ppo_clip_backward", "reinforce_backward"]
# ///
"""CISPO (clipped importance-sampling policy optimisation) clips the weight of a token and never its gradient. For B
answers of at most T tokens, the forward pass computed

    r = exp(logp - logp_old)
    L = -(1/K) Σ mask · stop(min(r, 1 + eps_high)) · A · logp    over all B·T positions

Like `detach`, stop(...) makes its argument a constant, which has no gradient. `logp` and `logp_old` have shape (B, T),
and `adv` (the advantages A, of either sign) has shape (B,). `mask`, of shape (B, T), is 1.0 at tokens and 0.0 at
padding, and K is the sum of the mask. There is at least one token. Only `logp` has a gradient.

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `dlogp`, which is 0 at padding. The log-probabilities
at padding are finite. All log-ratios are between -20 and 20.
"""

import numpy as np


def cispo_loss_backward(g, logp, logp_old, adv, mask, eps_high):
    raise NotImplementedError

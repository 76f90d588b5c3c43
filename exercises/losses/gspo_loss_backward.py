# /// autodrill
# title = "Backward of the GSPO loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["losses", "post-training"]
# requires = ["ppo_clip_backward"]
# ///
"""GSPO (group sequence policy optimisation) clips one ratio per answer, not one per token. For B answers of at most T
tokens, the forward pass computed

    s_b = exp(mean of logp - logp_old over the tokens of answer b)
    L = -(1/B) Σ_b min(s_b · A_b, clip(s_b, 1 - eps, 1 + eps) · A_b)

`logp` and `logp_old` have shape (B, T). `adv`, of shape (B,), holds the advantages A, which may be positive or
negative. `mask`, of shape (B, T), is 1.0 at tokens and 0.0 at padding. Each answer has at least one token. Only `logp`
has a gradient. `g`, a 0-d array, is the upstream gradient of the scalar L. Return `dlogp`, which is 0 at padding.

The range from 1 - eps to 1 + eps is the band. A ratio exactly at an edge of the band has the gradient of s · A, even if
eps is 0. The numbers at padding are finite and arbitrary. The log of s is between -20 and 20, but the log-ratio of a
single token may be ±1000.
"""

import numpy as np


def gspo_loss_backward(g, logp, logp_old, adv, mask, eps):
    raise NotImplementedError

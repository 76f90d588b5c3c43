# /// autodrill
# title = "Backward of the GRPO loss"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["losses", "post-training"]
# requires = ["ppo_clip_backward", "cross_entropy_ignore_index_backward"]
# ///
"""GRPO (group relative policy optimisation) trains on B sampled answers of at most T tokens. For each token, the
forward pass computed the log-ratio to the reference, d = logp_ref - logp, the ratio r = exp(logp - logp_old), and

    l = -min(r · A, clip(r, 1 - eps_low, 1 + eps_high) · A) + beta · (exp(d) - 1 - d)

`logp`, `logp_old` and `logp_ref` hold log-probabilities under the current policy, the policy that drew the answers, and
the reference. They have shape (B, T). `adv` has shape (B,). All tokens of an answer share one advantage A, which may be
positive or negative. `mask`, of shape (B, T), is 1.0 at tokens and 0.0 at padding. Only `logp` has a gradient.

With `reduce="token"`, the loss L is the mean of l over all tokens of the batch. With `reduce="sequence"`, each row gets
the mean of l over its own tokens, and L is the mean of these B means. A row without tokens has the mean 0 and still
counts in B.

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `dlogp`. `dlogp` is 0 at padding, and 0 everywhere if
no row has a token. The range from 1 - eps_low to 1 + eps_high is the band. A ratio exactly at an edge of the band has
the gradient of r · A, even if `eps_low` or `eps_high` is 0. The numbers at padding are finite. All differences of
log-probabilities are between -20 and 20.
"""

import numpy as np


def grpo_loss_backward(g, logp, logp_old, logp_ref, adv, mask, eps_low, eps_high, beta, reduce):
    raise NotImplementedError

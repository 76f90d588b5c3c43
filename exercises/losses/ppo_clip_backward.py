# /// autodrill
# title = "Backward of PPO's clipped loss"
# kind = "backward"
# difficulty = "hard"
# minutes = 10
# topics = ["losses", "post-training", "kinks"]
# requires = ["maximum_backward"]
# ///
"""PPO (proximal policy optimisation) reuses samples of an old policy. For N sampled tokens, the forward pass computed

    r = exp(logp - logp_old)
    L = -(1/N) Σ_n min(r_n · A_n, clip(r_n, 1 - eps, 1 + eps) · A_n)

`logp` holds the log-probability of each token under the current policy, and `logp_old` holds the one under the old
policy. `adv` holds the advantages A, which may be positive or negative. These three arrays have shape (N,). `logp_old`
and `adv` are constants, and `eps` is a number with 0 ≤ eps < 1. `g`, a 0-d array, is the upstream gradient of the
scalar L. Return `dlogp`.

The range from 1 - eps to 1 + eps is the band. A ratio exactly at an edge of the band counts as inside, so the gradient
there is the gradient of r · A. This convention also holds for eps = 0. All log-ratios are between -20 and 20.
"""

import numpy as np


def ppo_clip_backward(g, logp, logp_old, adv, eps):
    raise NotImplementedError

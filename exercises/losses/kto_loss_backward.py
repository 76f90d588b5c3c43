# /// autodrill
# title = "Backward of the KTO loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["losses", "post-training"]
# requires = ["dpo_loss_backward"]
# ///
"""KTO (Kahneman-Tversky optimisation) trains on single answers that people marked as good or bad. For N answers, the
forward pass computed, with the sigmoid σ,

    r = logp - logp_ref
    z = stop(max(0, mean of r))
    a good answer costs w_good · (1 - σ(beta · (r - z)))
    a bad answer costs  w_bad · (1 - σ(beta · (z - r)))

The loss L is the mean of the N costs. stop(...) turns its argument into a constant without a gradient, like `detach`.
`logp` and `logp_ref` hold the log-probabilities of the answers under the policy and under a frozen reference, and
`good` holds the integers 1 (good) or 0 (bad). All three have shape (N,). `beta`, `w_good` and `w_bad` are positive
numbers.

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `dlogp`. The numbers r may be as large as ±4000, and
the result must be finite.
"""

import numpy as np


def kto_loss_backward(g, logp, logp_ref, good, beta, w_good, w_bad):
    raise NotImplementedError

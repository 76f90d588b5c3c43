# /// autodrill
# title = "Gradients of three KL estimators"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["estimators", "post-training"]
# requires = ["reinforce_backward"]
# ///
"""A policy p drew N samples. `logp` holds the log-probability of each sample under p, and `logq` holds its
log-probability under a fixed reference q. Both have shape (N,). With d = logp - logq, each of the following means
estimates the divergence KL(p‖q):

    kind="k1"    mean of d
    kind="k2"    mean of d²/2
    kind="k3"    mean of exp(-d) - 1 + d

The forward pass computed one of the three as the loss L, and treated the samples as constants. `g`, a 0-d array, is the
upstream gradient of the scalar L. Return `dlogp`. Values of d are between -20 and 20.
"""

import numpy as np


def kl_estimators_backward(g, logp, logq, kind):
    raise NotImplementedError

# /// autodrill
# title = "Backward of the DPO loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["losses", "post-training"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""Direct preference optimisation trains on pairs of answers, one chosen and one
rejected. For N pairs, the forward pass computed

    z = beta · ((lp_chosen - ref_chosen) - (lp_rejected - ref_rejected))
    L = -(1/N) Σ log sigmoid(z)

The arrays `lp_...` hold log-probabilities of the policy. The arrays `ref_...` hold
log-probabilities of the frozen reference model. Each has shape (N,). `g`, a 0-d array, is the
upstream gradient of the scalar L. Return `dchosen, drejected`, the gradients of `lp_chosen` and
`lp_rejected`.

The magnitude of `z` may exceed 1000. The result must stay finite and accurate.
"""

import numpy as np


def dpo_loss_backward(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta):
    raise NotImplementedError

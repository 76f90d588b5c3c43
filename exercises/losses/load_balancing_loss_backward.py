# /// autodrill
# title = "Backward of a load-balancing loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["losses", "softmax"]
# requires = ["softmax_backward", "sum_backward"]
# ///
"""A mixture of experts adds a loss that spreads the tokens over its E experts. For N tokens
with router logits of shape (N, E), the forward pass computed

    p   = softmax(logits)                # along the rows
    f_e = share of the N·k choices that fell on expert e, so Σ_e f_e = 1
    L   = E · Σ_e f_e · mean_n p_ne

Each token chooses the k experts with its largest logits. If logits are equal, the expert
with the lower index comes first. `g`, a 0-d array, is the upstream gradient of L. Return
`dlogits`. The choices are constants: f has no gradient. k is between 1 and E. Logits may
be as large as ±1000, and the result must be finite there.
"""

import numpy as np


def load_balancing_loss_backward(g, logits, k):
    raise NotImplementedError

# /// autodrill
# title = "Backward of the triplet loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["losses", "kinks"]
# requires = ["maximum_backward"]
# ///
"""An embedding is trained on N triplets. Each triplet has an anchor a, a positive p of the same class, and a
negative n of another class. `anchor`, `pos` and `neg` have shape (N, d). The forward pass computed, with squared
distances,

    h_i = |a_i - p_i|² - |a_i - n_i|² + margin
    L = (1/N) Σ_i max(0, h_i)

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `da, dp, dn`, the gradients of `anchor`, `pos` and
`neg`. A triplet contributes only if h_i > 0. A triplet with h_i = 0 contributes nothing. N counts all triplets.
`margin` is a positive number.
"""

import numpy as np


def triplet_loss_backward(g, anchor, pos, neg, margin):
    raise NotImplementedError

# /// autodrill
# title = "Binary cross-entropy from probabilities"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["losses"]
# requires = ["bce_with_logits_backward"]
# ///
"""A model returns probabilities `p` instead of logits. The forward pass computed

    L = -(1/n) Σ (t · log p + (1 - t) · log(1 - p))

over all n elements of `p`. The targets `t` have the shape of `p` and are numbers between 0 and 1. `g`, a 0-d array, is
the upstream gradient of the scalar L. Return `dp`.

Some probabilities are exactly 0 or 1, and dp must be finite there. Use PyTorch's convention. Write the slope of one
summand, without g and 1/n, as a single fraction. If its denominator is smaller than 1e-12, replace the denominator by
1e-12. This rule applies to every denominator below 1e-12, even if p is not exactly 0 or 1.
"""

import numpy as np


def bce_backward(g, p, t):
    raise NotImplementedError

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

Some probabilities are exactly 0 or 1, and dp must be finite there. Use PyTorch's convention: write the slope of one
element as a single fraction, and replace its denominator by 1e-12 if it is smaller than that. The convention applies to
probabilities near 0 and 1 too, but changes no other element.
"""

import numpy as np


def bce_backward(g, p, t):
    raise NotImplementedError

# /// autodrill
# title = "Binary cross-entropy from logits"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["losses", "activations"]
# requires = ["silu_backward"]
# ///
"""A binary classifier computed one logit x per element. The predicted probability is p = σ(x) = 1/(1 + exp(-x)). The
forward pass computed

    L = -(1/n) Σ (w · t · log p + (1 - t) · log(1 - p))

The sum runs over all n elements of `x`. `x` and the targets `t` have the same shape, with any number of axes. A target
is a number between 0 and 1, and need not be 0 or 1. `pos_weight` is the number w > 0. A w above 1 gives the positive
class more weight, for example because it is rare. w may also be below 1. `g`, a 0-d array, is the upstream gradient of
the scalar L. Return `dx`.

Logits may be as large as ±1000, and dx must be finite there.
"""

import numpy as np


def bce_with_logits_backward(g, x, t, pos_weight=1.0):
    raise NotImplementedError

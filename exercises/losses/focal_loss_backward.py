# /// autodrill
# title = "Backward of the focal loss"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["losses", "activations"]
# requires = ["bce_with_logits_backward"]
# ///
"""The focal loss gives less weight to examples that are already classified well. For a logit x, the predicted
probability of label 1 is σ(x) = 1/(1 + exp(-x)). Let p = σ(x) if the label is 1, and p = 1 - σ(x) if the label is 0.
In both cases p is the probability of the right class. The forward pass computed

    L = -(1/n) Σ (1 - p)^gamma · log p

over all n elements. `x` has any shape, and `t` holds the labels, which are floating-point numbers equal to 0 or 1. The
number `gamma` is at least 0 and need not be an integer. `g`, a 0-d array, is the upstream gradient of the scalar L.
Return `dx`.

Logits may be as large as ±1000, and dx must be finite there, for either label.
"""

import numpy as np


def focal_loss_backward(g, x, t, gamma):
    raise NotImplementedError

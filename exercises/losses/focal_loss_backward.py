# /// autodrill
# title = "Backward of the focal loss"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["losses", "activations"]
# requires = ["bce_with_logits_backward"]
# ///
"""The focal loss lets examples that are already classified well count less. For a logit x with label 1, let p_t = σ(x).
With label 0, let p_t = 1 - σ(x). In both cases p_t is the probability of the right class. The forward pass computed

    L = -(1/n) Σ (1 - p_t)^gamma · log p_t

over all n elements. `x` has any shape, and `t` holds the labels, which are floating-point numbers equal to 0 or 1. The
number `gamma` is at least 0 and need not be an integer. `g`, a 0-d array, is the upstream gradient of the scalar L.
Return `dx`.

Logits may be as large as ±1000, and dx must be finite there, for either label.
"""

import numpy as np


def focal_loss_backward(g, x, t, gamma):
    raise NotImplementedError

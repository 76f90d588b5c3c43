# /// autodrill
# title = "Straight-through estimator of rounding"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["estimators"]
# ///
"""Quantisation-aware training rounds in the forward pass: `out = np.round(x)`. The true
derivative of rounding is 0 almost everywhere, so the model would learn nothing. The
straight-through estimator uses a wrong gradient on purpose: it pretends that the
forward was `out = x`.

`g` is dL/dout. Return the `dx` of the straight-through estimator, not the true
gradient. `dx` may share memory with `g`.
"""

import numpy as np


def ste_round_backward(g, x):
    raise NotImplementedError

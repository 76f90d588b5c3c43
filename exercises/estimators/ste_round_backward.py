# /// autodrill
# title = "Straight through a rounding"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["quantisation", "estimators"]
# ///
"""Quantisation-aware training rounds in the forward pass: `out = np.round(x)`. The true
derivative of that is 0 almost everywhere, and nothing would learn. The straight-through
estimator backpropagates something else on purpose: it pretends that the forward had
been `out = x`.

`g` is dL/dout. Return the `dx` of the straight-through estimator, not the true one.
"""

import numpy as np


def ste_round_backward(g, x):
    raise NotImplementedError

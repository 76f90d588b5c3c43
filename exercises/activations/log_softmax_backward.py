# /// autodrill
# title = "Backward of log-softmax"
# kind = "backward"
# difficulty = "medium"
# minutes = 5
# topics = ["softmax", "activations"]
# requires = ["softmax_backward"]
# ///
"""The forward pass computed the logarithms of softmax probabilities along `axis`:

    out = x - log Σ exp(x)    # the sum runs along `axis`

The forward saved only `out`. `g` is dL/dout and has the shape of `out`. Return `dx`.
Memory is graded for long rows: no Jacobian matrix fits. The logits `x` may be as large
as ±1000, so elements of `out` may be as low as -2000.
"""

import numpy as np


def log_softmax_backward(g, out, axis=-1):
    raise NotImplementedError

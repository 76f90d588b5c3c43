# /// autodrill
# title = "Backward of logsumexp"
# kind = "backward"
# difficulty = "medium"
# minutes = 5
# topics = ["shapes", "softmax"]
# requires = ["sum_backward"]
# ///
"""The forward pass computed `out = log(sum(exp(x)))` along `axis` without overflow.
Entries of `x` may be as large as ±1000, and some entries may be -inf (masked
scores). `x` and `out` were saved. `g` is dL/dout and has the shape of `out`, which
lacks the reduced axis. Return `dx`.
"""

import numpy as np


def logsumexp_backward(g, x, out, axis=-1):
    raise NotImplementedError

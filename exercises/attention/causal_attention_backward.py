# /// autodrill
# title = "Backward of causal attention"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["attention", "softmax"]
# requires = ["attention_backward"]
# ///
"""In causal self-attention, query i sees only the keys j <= i. The forward pass computed

    s   = q @ kᵀ / √d, with s_ij = -∞ for j > i
    p   = softmax(s)            # along the rows
    out = p @ v

`q` and `k` have shape (..., n, d), and `v` has shape (..., n, e). The dots stand for
any number of batch axes, which are the same for all arrays. Only the inputs were saved.
`g` is dL/dout, of shape (..., n, e). Return `dq, dk, dv`. Scores may be as large as
±1000, even at keys that a query does not see, and the results must be finite.
"""

import numpy as np


def causal_attention_backward(g, q, k, v):
    raise NotImplementedError

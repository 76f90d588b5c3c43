# /// autodrill
# title = "Attention that also returns its log-sum-exp"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["attention", "softmax"]
# requires = ["attention_backward", "logsumexp_backward"]
# ///
"""If keys are split over devices, attention must also return the log-sum-exp of each row
of scores. A later step needs this number to combine the parts. `q`, `k` and `v` have the
shapes (n, d), (m, d) and (m, e). For one head, the forward pass computed

    s     = q @ kᵀ / √d
    lse_i = log Σ_j exp(s_ij)   # shape (n,)
    out   = softmax(s) @ v      # softmax along the rows, shape (n, e)

Both outputs reach the loss. `g` is dL/dout, of shape (n, e), and `glse` is dL/dlse, of
shape (n,). `out` and `lse` were saved. Return `dq, dk, dv`. Scores may be as large as
±1000, and the results must be finite.
"""

import numpy as np


def attention_lse_backward(g, glse, q, k, v, out, lse):
    raise NotImplementedError

# /// autodrill
# title = "Backward of QK-norm"
# kind = "backward"
# difficulty = "medium"
# minutes = 12
# topics = ["attention", "norm"]
# requires = ["layernorm_backward", "matmul_backward"]
# ///
"""Some models normalise queries and keys before they compute the scores, so that the
scores cannot grow without bound. The forward pass computed, for each batch and head,

    norm(x) = x / sqrt(mean(x²) + 1e-6)         # mean over the last axis
    s       = (norm(q) · gamma_q) @ (norm(k) · gamma_k)ᵀ / √d

`q` has shape (B, H, n, d) and `k` has shape (B, H, m, d). The gains `gamma_q` and
`gamma_k` have shape (d,) and are shared by all batches, heads and positions. `g` is dL/ds,
of shape (B, H, n, m). Return `dq, dk, dgamma_q, dgamma_k`. Rows of q and k may be 0.
"""

import numpy as np


def qk_norm_backward(g, q, k, gamma_q, gamma_k):
    raise NotImplementedError

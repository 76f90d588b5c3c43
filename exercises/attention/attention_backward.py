# /// autodrill
# title = "Backward of attention"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["attention", "softmax", "linalg"]
# requires = ["softmax_backward", "matmul_backward"]
# ///
"""The forward pass of scaled dot-product attention computed

    p   = softmax(q @ kᵀ / √d)        # each row sums to 1
    out = p @ v

`q`, `k` and `v` have the shapes (..., n, d), (..., m, d) and (..., m, e), so `p` has
shape (..., n, m). The dots stand for any number of batch axes, which are the same for
all arrays. kᵀ is `k` with its last two axes exchanged: `k.mT` in NumPy. `p` was saved.
`g` is dL/dout, of shape (..., n, e). Return `dq, dk, dv`.
"""

import numpy as np


def attention_backward(g, q, k, v, p):
    raise NotImplementedError

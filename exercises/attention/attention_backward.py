# /// autodrill
# title = "Backward of attention"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["attention", "softmax", "linear algebra"]
# requires = ["softmax_backward", "matmul_backward"]
# ///
"""The forward pass of scaled dot-product attention computed

    p   = softmax(q @ kᵀ / √d)        # each row sums to 1
    out = p @ v

with `q` of shape (..., n, d), `k` (..., m, d), `v` (..., m, e), so `p` is (..., n, m);
the dots stand for any number of batch axes, the same for all, and kᵀ exchanges the last
two axes, `k.mT` in NumPy. `p` was kept. `g` is dL/dout, of shape (..., n, e). Return
`dq, dk, dv`.
"""

import numpy as np


def attention_backward(g, q, k, v, p):
    raise NotImplementedError

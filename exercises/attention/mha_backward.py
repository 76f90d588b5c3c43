# /// autodrill
# title = "Backward of multi-head attention"
# kind = "backward"
# difficulty = "hard"
# minutes = 20
# topics = ["attention", "shapes", "linalg"]
# requires = ["attention_backward"]
# ///
"""The forward pass of multi-head self-attention, without bias and without mask, computed

    q, k, v = x @ Wq, x @ Wk, x @ Wv        # each (b, n, I)
    out_h   = softmax(q_h k_hᵀ / √d) v_h    # for each of the H heads, d = I/H
    out     = concat(out_1, ..., out_H) @ Wo

`x` has shape (b, n, D): b sequences of n tokens. `Wq`, `Wk` and `Wv` have shape (D, I),
and `Wo` has shape (I, D). H divides I, and I need not equal D. Head h owns the d
columns of q, k and v that start at column h·d, with h from 0 to H - 1. `concat` puts
the heads side by side again, in the same order.

Only the arguments below were saved. `g` is dL/dout, of shape (b, n, D). Return `dx, dWq,
dWk, dWv, dWo`. Scores may be as large as ±1000, and the results must be finite there.
"""

import numpy as np


def mha_backward(g, x, Wq, Wk, Wv, Wo, H):
    raise NotImplementedError

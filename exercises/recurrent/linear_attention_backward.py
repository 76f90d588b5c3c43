# /// autodrill
# title = "Backward of causal linear attention"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["recurrent", "attention", "memory"]
# requires = ["linear_scan_backward", "matmul_backward"]
# ///
"""Linear attention drops the softmax, so a matrix of fixed size replaces the growing list
of keys and values. One head takes `q` and `k` of shape (T, d) and `v` of shape (T, e):

    S_t   = S_(t-1) + k_t v_tᵀ,    t = 1 ... T,    from S_0 = 0
    out_t = S_tᵀ q_t

So out_t is the sum of (q_t · k_s) v_s over all s <= t. The state S_t has shape (d, e), and
T is at least 1. The forward pass saved no state. `g` is dL/dout, of shape (T, e). Return
`dq, dk, dv`.

Memory is graded for long sequences. Apart from the inputs and results, a few states fit, and
so do arrays for a chunk of a fixed number of steps. A (T, T) array does not fit, and the
states of all steps do not fit either.
"""

import numpy as np


def linear_attention_backward(g, q, k, v):
    raise NotImplementedError

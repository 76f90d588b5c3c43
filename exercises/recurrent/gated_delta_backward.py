# /// autodrill
# title = "Backward of the gated delta rule"
# kind = "backward"
# difficulty = "expert"
# minutes = 25
# topics = ["recurrent", "attention"]
# requires = ["linear_attention_backward"]
# ///
"""The gated delta rule replaces softmax attention in several recent language models. Its state S is
a memory that maps keys to values. For one head, with S_0 = 0, the forward pass computed for
t = 1 ... T

    A_t   = α_t S_(t-1)               # forget: decay the memory
    u_t   = v_t - A_tᵀ k_t            # v_t minus what the memory returns for k_t
    S_t   = A_t + β_t k_t u_tᵀ        # correct the memory
    out_t = S_tᵀ q_t                  # read

`q` and `k` have shape (T, d), and `v` has shape (T, e). `alpha` and `beta` have shape (T,), and T is at
least 1. S has shape (d, e). Only these inputs were saved. An alpha or a beta may be 0. `g` is
dL/dout, of shape (T, e).

Return `dq, dk, dv, dalpha, dbeta`. You may hold the states of all steps.
"""

import numpy as np


def gated_delta_backward(g, q, k, v, alpha, beta):
    raise NotImplementedError

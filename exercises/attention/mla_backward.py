# /// autodrill
# title = "Backward of multi-head latent attention"
# kind = "backward"
# difficulty = "hard"
# minutes = 20
# topics = ["attention", "linalg"]
# requires = ["gqa_backward", "mha_backward"]
# ///
"""Multi-head latent attention makes the keys and values of all H heads from one small latent
vector per token. The m tokens `x` have shape (m, D). The forward pass computed

    c   = x @ Wd                            # (m, r): the latent vectors, shared by all heads
    kr  = x @ Wr                            # (m, t): one positional key, shared by all heads
    k_h = c @ Uk_h,  v_h = c @ Uv_h         # (m, d) and (m, e) for each head h
    s_h = (qn_h k_hᵀ + qr_h krᵀ) / √(d + t)
    out_h = softmax(s_h) v_h                # each row of softmax(s_h) sums to 1

The queries of n tokens have two parts: `qn` of shape (H, n, d) and `qr` of shape (H, n, t). `Wd` and
`Wr` have the shapes (D, r) and (D, t). `Uk` and `Uv` have the shapes (H, r, d) and (H, r, e). There
is no mask. The usual rotation of qr and kr by their positions is left out. Only the arguments below
were saved.

`g` is dL/dout, of shape (H, n, e). Return `dx, dWd, dWr, dUk, dUv`. The gradients of the
queries are not asked for. Scores may be as large as ±1000, and the results must be
finite there.
"""

import numpy as np


def mla_backward(g, x, qn, qr, Wd, Wr, Uk, Uv):
    raise NotImplementedError

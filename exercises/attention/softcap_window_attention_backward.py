# /// autodrill
# title = "Attention with a soft cap and a window"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["attention", "softmax", "activations"]
# requires = ["causal_attention_backward", "tanh_backward"]
# ///
"""Some models cap the scores of attention smoothly and let each query see only the most
recent keys. For one head, the forward pass computed

    s   = q @ kᵀ / √d
    t   = cap · tanh(s / cap)
    p   = softmax of t along the rows, over the keys j with i - window < j <= i
    out = p @ v

p is 0 at all other keys. `q` and `k` have shape (n, d), and `v` has shape (n, e). `cap` is
a positive number, and `window` is an integer of at least 1 that may exceed n. Only the
inputs were saved. `g` is dL/dout, of shape (n, e). Return `dq, dk, dv`. Scores may be as
large as ±1000, and the results must be finite.
"""

import numpy as np


def softcap_window_attention_backward(g, q, k, v, cap, window):
    raise NotImplementedError

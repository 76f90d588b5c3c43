# /// autodrill
# title = "Backward of attention with a sink"
# kind = "backward"
# difficulty = "hard"
# minutes = 14
# topics = ["attention", "softmax"]
# requires = ["attention_backward"]
# ///
"""Some models add a learned number `sink[h]` to the softmax of head h. A query can give
weight to this *sink* instead of to a key. The sink has no value vector, so its weight
adds nothing to the output. For head h and query i, the forward pass computed

    s_ij  = q_i · k_j / √d
    p_ij  = exp(s_ij) / (exp(sink) + Σ_l exp(s_il))
    out_i = Σ_j p_ij v_j

`q`, `k` and `v` have the shapes (H, n, d), (H, m, d) and (H, m, e), and `sink` has shape
(H,). `g` is dL/dout, of shape (H, n, e). Return `dq, dk, dv, dsink`. Scores and sinks
may be as large as ±1000, and the results must be finite.
"""

import numpy as np


def attention_sink_backward(g, q, k, v, sink):
    raise NotImplementedError

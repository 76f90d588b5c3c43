# /// autodrill
# title = "Backward of a mixture of experts with top-k gating"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["attention", "indexing", "softmax"]
# requires = ["softmax_backward", "embedding_sparse_backward"]
# ///
"""A mixture-of-experts layer has E experts. Each token uses the k experts with the largest
router logits. For token n with the set S_n of chosen experts, the forward pass computed

    q_n   = softmax of logits_n over S_n        # k weights, which sum to 1
    out_n = Σ_{i in S_n} q_ni · (x_n @ W_i)

`x`, `W` and `logits` have the shapes (N, d), (E, d, e) and (N, E). k is between 1 and E.
If logits are equal, the expert with the lower index comes first. `g` is dL/dout, of
shape (N, e).

Return `dx, dW, dlogits`. Treat the choice S_n as a constant. If i is not in S_n,
dlogits[n, i] is exactly 0. If no token chose expert i, dW[i] is exactly 0. Logits may
be as large as ±1000, and the results must be finite there.
"""

import numpy as np


def moe_topk_gate_backward(g, x, W, logits, k):
    raise NotImplementedError

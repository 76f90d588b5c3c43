# /// autodrill
# title = "Backward of a sigmoid router with a balancing bias"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["attention", "activations", "indexing"]
# requires = ["moe_topk_gate_backward", "silu_backward"]
# ///
"""The router of a mixture of E experts scores each expert with a sigmoid. A bias per expert
steers the choice, but not the weights. For N tokens, the forward pass computed

    s    = σ(logits)                          # (N, E), σ is the sigmoid
    S_n  = the k experts with the largest s_ne + bias_e
    Z_n  = Σ_{e in S_n} s_ne
    w_ne = scale · s_ne / Z_n    for e in S_n, and 0 otherwise

`logits` has shape (N, E), and `bias` has shape (E,). k is between 1 and E, and `scale` is a
number. If two experts have the same s + bias, the one with the lower index comes first. `g`
is dL/dw, of shape (N, E).

Return `dlogits`. Treat the choice S_n as a constant. No gradient of `bias` is asked
for. Outside S_n, dlogits is exactly 0. Logits are between -60 and 1000, so Z_n is
positive. The result must be finite.
"""

import numpy as np


def sigmoid_router_backward(g, logits, bias, k, scale):
    raise NotImplementedError

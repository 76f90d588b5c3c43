# /// autodrill
# title = "Cross-entropy without the logits in memory"
# kind = "backward"
# difficulty = "hard"
# minutes = 18
# topics = ["losses", "memory", "linalg"]
# requires = ["softmax_cross_entropy_backward", "matmul_backward"]
# ///
"""The last layer of a language model computes logits from hidden states and takes the mean
cross-entropy over N tokens:

    z = h Wᵀ                                       # logits, (N, V)
    L = -(1/N) Σ_n log_softmax(z_n)[y_n]

`h` has shape (N, D), and `W` has shape (V, D). The labels `y` are integers, and `y` has
shape (N,). V is so large that the logits of all tokens do not fit into memory. The
logits of `chunk` tokens do fit.

Compute the loss and its gradients in one function. `g`, a 0-d array, is the upstream
gradient of L. Return `loss, dh, dW`. `loss` is L itself, so it does not depend on `g`.
`dh` and `dW` are the gradients for this `g`.

`chunk` is at least 1. `chunk` need not divide N, and it may exceed N. Besides the
arguments and the results, you may hold a few arrays of chunk · V numbers and one array
of V · D numbers. The memory must not grow with N · V. This is graded for large
N and V. Logits may be as large as ±1000, and the results must be finite there.
"""

import numpy as np


def fused_linear_cross_entropy(g, h, W, y, chunk):
    raise NotImplementedError

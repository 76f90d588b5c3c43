# /// autodrill
# title = "Backward of InfoNCE"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["losses", "softmax", "linalg"]
# requires = ["softmax_cross_entropy_backward", "matmul_backward"]
# ///
"""InfoNCE is the contrastive loss of SimCLR, MoCo and CLIP. Row i of `q` and row i of `k` belong to the same object,
and all other pairs of rows are negatives. For N objects, the forward pass computed

    S = q @ kᵀ / T
    L = -(1/N) Σ_i log_softmax(S)[i, i]    with the softmax along each row

`q` and `k` have shape (N, d), and `T` is a positive number, the temperature. `g`, a 0-d array, is the upstream gradient
of the scalar L. Return `dq, dk`. Entries of S may be as large as ±1000.
"""

import numpy as np


def infonce_backward(g, q, k, T):
    raise NotImplementedError

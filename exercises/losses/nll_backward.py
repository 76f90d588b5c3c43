# /// autodrill
# title = "Backward of the negative log-likelihood"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["losses", "indexing"]
# requires = ["sum_backward"]
# ///
"""A model returns log-probabilities `logp` of shape (N, C), such as the output of a log-softmax. With integer labels `y`
of shape (N,), the forward pass computed

    L = -(1/N) Σ_n logp[n, y_n]

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `dlogp`. Several rows may have the same label,
and the rows of `logp` need not be normalised.
"""

import numpy as np


def nll_backward(g, logp, y):
    raise NotImplementedError

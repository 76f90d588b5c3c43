# /// autodrill
# title = "Backward of the multiclass hinge loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["losses", "kinks"]
# requires = ["nll_backward", "relu_backward"]
# ///
"""A linear classifier is trained with the multiclass hinge loss. `scores` has shape (N, C), and the integer labels `y`
have shape (N,). The forward pass computed

    h_nj = scores[n, j] - scores[n, y_n] + margin
    L = (1/N) Σ_n Σ_{j ≠ y_n} max(0, h_nj)

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `dscores`. A term contributes only if h_nj > 0. A
term with h_nj = 0 contributes nothing. `margin` is a positive number. C may be 1, and L is then 0.
"""

import numpy as np


def multiclass_hinge_backward(g, scores, y, margin=1.0):
    raise NotImplementedError

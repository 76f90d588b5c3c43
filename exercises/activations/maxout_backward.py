# /// autodrill
# title = "Backward of maxout"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["activations", "kinks", "indexing"]
# requires = ["maximum_backward"]
# ///
"""Maxout takes the largest of k pieces. `x` has shape (N, k·m). In each row, the first m
elements are piece 0, the next m elements are piece 1, and so on. The forward pass
computed

    out[n, j] = max over i of x[n, i·m + j]

so `out` and `g` = dL/dout have shape (N, m). Return `dx`, which has the shape of `x`.
If several pieces have the maximum, the first of them gets all of the gradient.
"""

import numpy as np


def maxout_backward(g, x, k):
    raise NotImplementedError

# /// autodrill
# title = "Backward of L2 normalisation"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["norm"]
# requires = ["mul_broadcast_backward", "sum_backward"]
# ///
"""Embeddings are often scaled to length 1 before they are compared. The forward pass
computed

    norm = sqrt(sum(x²))    # over the last axis, kept as size 1
    out  = x / norm

`x` has any number of axes, and no row of x is 0. The norm of a row may be as large as 1e6 or as
small as 1e-6. `out` and `norm` were saved, and x was not. `g` is dL/dout. Return `dx`.
"""

import numpy as np


def l2_normalize_backward(g, out, norm):
    raise NotImplementedError

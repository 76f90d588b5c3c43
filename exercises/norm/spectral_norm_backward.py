# /// autodrill
# title = "Backward of spectral normalisation"
# kind = "backward"
# difficulty = "hard"
# minutes = 10
# topics = ["norm", "linalg"]
# requires = ["matmul_backward", "l2_normalize_backward"]
# ///
"""The critic of a GAN divides each weight matrix by an estimate of its largest singular
value. For `W` of shape (m, n), the forward pass computed

    sigma = uᵀ W v
    out   = W / sigma

`u`, of shape (m,), and `v`, of shape (n,), are unit vectors. A few steps of power
iteration produced them without recording a graph, so they count as constants. u and v
need not be the singular vectors of W. sigma may be small or negative, but it is not 0.

`g` is dL/d(out). Return `dW` = dL/dW. Use the given u and v, and do not compute singular
vectors of W.
"""

import numpy as np


def spectral_norm_backward(g, W, u, v):
    raise NotImplementedError

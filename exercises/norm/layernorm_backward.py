# /// autodrill
# title = "Backward of layer normalisation"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["norm"]
# requires = ["var_backward", "mul_broadcast_backward"]
# ///
"""The forward pass of a layer norm normalised `x` along its last axis, which has length D:

    rstd = 1 / sqrt(var(x) + eps)    # biased variance; last axis kept as size 1
    xhat = (x - mean(x)) * rstd
    out  = xhat * gamma + beta

`gamma` and `beta` have shape (D,). `x` has any number of axes before the last. `xhat`,
`rstd` and `gamma` were saved. `g` is dL/dout. Return `dx, dgamma, dbeta`.
"""

import numpy as np


def layernorm_backward(g, xhat, rstd, gamma):
    raise NotImplementedError

# /// autodrill
# title = "Newton-Schulz in forward mode"
# kind = "jvp"
# difficulty = "hard"
# minutes = 15
# topics = ["modes", "linalg", "optim"]
# requires = ["matmul_backward"]
# ///
"""The optimiser Muon orthogonalises a matrix by the Newton-Schulz iteration. For a matrix `x` of
shape (m, n), which is not the zero matrix, the forward computes

    X = x / |x|    # |x| is the Frobenius norm, the root of the sum of all squares
    steps times:
        A = X @ X.T
        B = -4.7750 · A + 2.0315 · A @ A
        X = 3.4445 · X + B @ X

and returns X. `dx` is the tangent of `x`: the direction in which x moves. Return
`dout`, the tangent of the result, of shape (m, n). `steps` may be 0. Finite differences in
the dtype of x are not accurate enough.
"""

import numpy as np


def newton_schulz_jvp(x, dx, steps):
    raise NotImplementedError

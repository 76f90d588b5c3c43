# /// autodrill
# title = "Backward of the Cholesky factor"
# kind = "backward"
# difficulty = "hard"
# minutes = 20
# topics = ["linear algebra", "factorisations"]
# requires = ["matmul_backward"]
# ///
"""The forward pass computed the lower triangular factor of a symmetric positive
definite `A` of shape (n, n), so that A = L @ L.T:

    L = np.linalg.cholesky(A)

Only `L` was saved. `g` is the gradient of the loss with respect to `L`, a full (n, n)
array of finite numbers. Entries of `g` above the diagonal belong to entries of `L` that
are always 0, so they must not matter. Return `dA`, symmetric as `A` is.
"""

import numpy as np


def cholesky_backward(g, L):
    raise NotImplementedError

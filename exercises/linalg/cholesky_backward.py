# /// autodrill
# title = "Backward of the Cholesky factor"
# kind = "backward"
# difficulty = "hard"
# minutes = 20
# topics = ["linalg"]
# requires = ["matmul_backward"]
# ///
"""The forward pass computed the Cholesky factor `L` of a symmetric positive definite matrix
`A` of shape (n, n). `L` is lower triangular, and A = L @ L.T:

    L = np.linalg.cholesky(A)

Only `L` was saved. `g` is the gradient of the loss with respect to `L`, a full (n, n)
array of finite numbers. Ignore the entries of `g` above the diagonal, because the
entries of `L` there are always 0. Return `dA`, which must be symmetric like `A`.
"""

import numpy as np


def cholesky_backward(g, L):
    raise NotImplementedError

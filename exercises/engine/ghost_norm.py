# /// autodrill
# title = "Norms of per-example gradients without the gradients"
# kind = "program"
# difficulty = "hard"
# minutes = 10
# topics = ["linalg", "memory"]
# requires = ["matmul_backward"]
# ///
"""DP-SGD clips the gradient of each example by its own norm. A linear layer computes out = a W + b for each token. A
batch has N examples of T tokens each. `a` of shape (N, T, d) holds the inputs of the layer. `g` of shape (N, T, k)
holds the gradients of its outputs. The loss is a sum over examples.

Return the norms, of shape (N,). Take the gradient of W and b together: the norm is the root of the sum of squares of
all d·k + k elements. The gradients of an example's tokens may cancel.

Memory is graded for a small T and large d and k: a d x k matrix does not fit, not even for one example. For a large
batch, a matrix over all pairs of its tokens does not fit either.
"""

import numpy as np


def ghost_norm(a, g):
    raise NotImplementedError

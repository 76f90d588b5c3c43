# /// autodrill
# title = "Product with the Gauss-Newton matrix"
# kind = "program"
# difficulty = "hard"
# minutes = 15
# topics = ["higher-order", "modes", "softmax"]
# requires = ["softmax_jvp", "hvp_forward_over_reverse", "matmul_backward"]
# ///
"""A classifier with weights θ = (W1, W2) has logits and loss

    z = tanh(x W1) W2,    L = mean over rows n of (log Σ_c exp(z[n, c]) - z[n, y[n]])

with x of shape (N, d), W1 of shape (d, m), W2 of shape (m, k) and integer labels y of shape (N,). Let J_n be the
Jacobian of z[n] with respect to θ. Let H_n be the Hessian of the loss of row n with respect to z[n]. The generalised
Gauss-Newton matrix of L is

    G = (1/N) Σ_n J_nᵀ H_n J_n

V1 and V2 have the shapes of W1 and W2. Together they are one direction v in weight space. Return `GV1, GV2`, the two
parts of the product G v, in the same shapes. G is not the Hessian of L with respect to θ.

Logits may be as large as ±2000, and the results must be finite. Memory is graded for many
parameters: neither J_n nor G fits into it. Do not change the arguments.
"""

import numpy as np


def ggn_vector_product(W1, W2, x, y, V1, V2):
    raise NotImplementedError

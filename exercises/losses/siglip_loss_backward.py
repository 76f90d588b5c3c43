# /// autodrill
# title = "Backward of the SigLIP loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["losses", "linalg"]
# requires = ["dpo_loss_backward", "matmul_backward"]
# ///
"""SigLIP (sigmoid loss for language-image pre-training) classifies every pair of an image and a text: the two
belong together, or they do not. Row i of `a` and row i of `b` belong together, and all other pairs do not. For n
images and n texts, the forward pass computed, with the sigmoid σ,

    z = exp(t) · (a @ bᵀ) + beta
    L = -(1/n) Σ_i Σ_j log σ(l_ij · z_ij)    with l_ii = 1, and l_ij = -1 for i ≠ j

`a` and `b` have shape (n, d). `t` and `beta` are learned numbers, given as 0-d arrays. `g`, a 0-d array, is the
upstream gradient of the scalar L. Return `da, db, dt, dbeta`. `dt` and `dbeta` are 0-d.

Entries of z may be as large as ±1000. The result must stay finite.
"""

import numpy as np


def siglip_loss_backward(g, a, b, t, beta):
    raise NotImplementedError

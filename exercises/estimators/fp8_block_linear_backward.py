# /// autodrill
# title = "Linear layer in block-scaled FP8"
# kind = "backward"
# difficulty = "medium"
# minutes = 12
# topics = ["estimators", "amp"]
# requires = ["matmul_backward", "ste_round_backward"]
# ///
"""A linear layer multiplies in FP8. `x` has shape (N, d) and `w` has shape (k, d); both are kept in high precision. The
block size `block` divides d and k. The forward pass quantised both arrays:

- Each row of x is cut into strips of `block` neighbouring columns. Each strip has its own scale, so `sx` has shape
  (N, d/block).
- w is cut into square blocks of `block` rows and columns. Each block has its own scale, so `sw` has shape (k/block,
  d/block).
- A scale is the largest magnitude of its strip or block, divided by 448, the largest FP8 number. The scale is 1 if its
  strip or block holds only zeros.
- `xq` and `wq` have the shapes of x and w. They hold the codes: each number divided by its scale, rounded to FP8. Here
  the codes are stored as floats.

A dequantised number is its code times its scale. The output is `out = X̂ Ŵᵀ` with the dequantised X̂ and Ŵ. `g` is
dL/dout, of shape (N, k), and is not quantised.

Return `dx, dw`, the gradients of the straight-through estimator. This estimator treats the quantisation of x and w as
the identity. No gradient flows through the scales.
"""

import numpy as np


def fp8_block_linear_backward(g, x, w, xq, sx, wq, sw, block):
    raise NotImplementedError

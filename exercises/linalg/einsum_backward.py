# /// autodrill
# title = "Backward of einsum"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["linalg", "shapes"]
# requires = ["matmul_backward", "sum_backward"]
# ///
"""The forward pass computed `out = np.einsum(spec, a, b)` for two operands. `spec`
always has an arrow and no spaces, such as `"bij,jk->bik"`. No letter occurs twice in
one operand, and `...` does not occur. `g` is dL/dout. Return `da, db`.

Every letter of the result occurs in an operand. But a letter of one operand may occur
neither in the other operand nor in the result, like `i` in `"ij,kj->k"`. einsum sums
that operand over the axis of such a letter.
"""

import numpy as np


def einsum_backward(g, spec, a, b):
    raise NotImplementedError

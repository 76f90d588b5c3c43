# /// autodrill
# title = "Backward of einsum"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["linear algebra", "einsum", "broadcasting"]
# requires = ["matmul_backward", "sum_backward"]
# ///
"""The forward pass computed `out = np.einsum(spec, a, b)` for two operands. `spec`
always has an arrow and is without spaces, such as `"bij,jk->bik"`; no letter stands
twice in one operand, and there is no `...`. `g` is dL/dout. Return `da, db`.

Every letter of the result stands in an operand, but a letter of one operand may stand
neither in the other nor in the result, as `i` in `"ij,kj->k"`: that axis is summed out
alone.
"""

import numpy as np


def einsum_backward(g, spec, a, b):
    raise NotImplementedError

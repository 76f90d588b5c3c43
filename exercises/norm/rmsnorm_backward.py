# /// autodrill
# title = "Backward of RMSNorm"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["norm"]
# requires = ["mul_broadcast_backward", "sum_backward"]
# ///
"""RMSNorm divides each row by its root mean square. The forward pass computed

    rrms = 1 / sqrt(mean(x²) + 1e-6)    # over the last axis, kept as size 1
    out  = x * rrms * gamma

`x` has any number of axes, and its last axis has length D. `gamma` has shape (D,).
`x`, `rrms` and `gamma` were saved. `g` is dL/dout. Return `dx, dgamma`.

Entries may be as large as 1e4 or as small as 1e-3, and a row may be all 0. The result
must be accurate and finite in each case.
"""

import numpy as np


def rmsnorm_backward(g, x, rrms, gamma):
    raise NotImplementedError

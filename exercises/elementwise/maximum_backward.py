# /// autodrill
# title = "Backward of maximum with ties"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["kinks", "selection"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed `out = np.maximum(a, b)` for two arrays of the same shape.
`g` is dL/dout and has that shape too. Return `da, db`.

If an element of `a` equals that of `b`, share its gradient as `torch.maximum` does:
`a` and `b` get half of it each.
"""

import numpy as np


def maximum_backward(g, a, b):
    raise NotImplementedError

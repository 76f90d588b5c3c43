# /// autodrill
# title = "Backward of maximum with ties"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["kinks"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed `out = np.maximum(a, b)` for two arrays of the same shape.
`g` is dL/dout and has that shape too. Return `da, db`.

If the elements of `a` and `b` at one place are equal, each of the two gets half of the
gradient, as in `torch.maximum`.
"""

import numpy as np


def maximum_backward(g, a, b):
    raise NotImplementedError

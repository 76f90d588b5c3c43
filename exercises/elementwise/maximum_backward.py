# /// autodrill
# title = "Backward of maximum, ties and all"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["kinks", "selection"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed `out = np.maximum(a, b)` for two arrays of the same shape.
`g` is dL/dout, of that shape. Return `da, db`.

Where the two are equal, follow `torch.maximum` and share the gradient: half of it goes
to each.
"""

import numpy as np


def maximum_backward(g, a, b):
    raise NotImplementedError

# /// autodrill
# title = "Backward of leaky ReLU"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["activations", "kinks"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed leaky ReLU for each element of an array x of any shape:

    out = x            where x > 0
    out = alpha · x    elsewhere

`alpha` is a constant number. It is usually near 0.01, but here it may also be larger
than 1 or negative. `g` is dL/dout and has the shape of `x`. Return `dx`. Use the slope
`alpha` at x = 0, as PyTorch does.
"""

import numpy as np


def leaky_relu_backward(g, x, alpha):
    raise NotImplementedError

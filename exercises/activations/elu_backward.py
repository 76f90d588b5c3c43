# /// autodrill
# title = "Backward of ELU"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["activations"]
# requires = ["tanh_backward"]
# ///
"""The forward pass computed ELU for each element of an array x of any shape. `alpha` is a
positive number:

    out = x                       where x > 0
    out = alpha · (exp(x) - 1)    elsewhere

`g` is dL/dout. `g`, `x` and `out` have the same shape. Return `dx`. Use the slope
`alpha` at x = 0. You need no second exponential: every value you need is an argument.
"""

import numpy as np


def elu_backward(g, x, out, alpha):
    raise NotImplementedError

# /// autodrill
# title = "Backward of Mish"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["activations"]
# requires = ["silu_backward", "softplus_backward"]
# ///
"""The forward pass computed Mish for each element of an array x of any shape:

    out = x · tanh(softplus(x)),    softplus(x) = log(1 + exp(x))

`g` is dL/dout and has the shape of `x`. Return `dx`. Elements of x may be as large as
±1000, and dx must be finite there.
"""

import numpy as np


def mish_backward(g, x):
    raise NotImplementedError

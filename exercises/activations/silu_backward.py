# /// autodrill
# title = "Backward of SiLU"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["activations"]
# requires = ["tanh_backward"]
# ///
"""The forward pass computed `out = x · σ(x)` for each element of an array x of any shape. σ(x) = 1/(1 + exp(-x)) is the
sigmoid. The name of this function is SiLU, or swish. `g` is dL/dout and has the shape of `x`. Return `dx`. Elements of
x may be as large as ±1000, and dx must be finite there.
"""

import numpy as np


def silu_backward(g, x):
    raise NotImplementedError

# /// autodrill
# title = "Backward of softplus"
# kind = "backward"
# difficulty = "easy"
# minutes = 4
# topics = ["activations"]
# requires = ["tanh_backward"]
# ///
"""The forward pass computed softplus for each element of an array x of any shape:

    out = log(1 + exp(x))

`g` is dL/dout and has the shape of `x`. Return `dx`. Elements of x may be as large as
±1000, and dx must be finite there. The forward has no threshold: unlike PyTorch, do not
replace the slope by 1 for x > 20.
"""

import numpy as np


def softplus_backward(g, x):
    raise NotImplementedError

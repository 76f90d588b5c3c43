# /// autodrill
# title = "Backward of ReLU6"
# kind = "backward"
# difficulty = "easy"
# minutes = 2
# topics = ["activations", "kinks"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed `out = min(max(x, 0), 6)` for each element of an array x of any
shape. `g` is dL/dout and has the shape of `x`. Return `dx`. Use the slope 0 at x = 0 and
at x = 6.
"""

import numpy as np


def relu6_backward(g, x):
    raise NotImplementedError

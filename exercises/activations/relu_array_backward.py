# /// autodrill
# title = "Backward of ReLU from its output"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["activations", "kinks", "memory"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed `out = max(0, x)` for each element of an array x of any
shape. It saved only `out`. `g` is dL/dout and has the shape of `out`. Return `dx`. Use
the slope 0 at x = 0. `g` may contain infinities. If the slope of an element is 0, its
dx must be 0, even if its g is infinite.
"""

import numpy as np


def relu_array_backward(g, out):
    raise NotImplementedError

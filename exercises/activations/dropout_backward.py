# /// autodrill
# title = "Backward of dropout"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["activations", "memory"]
# requires = ["mul_backward"]
# ///
"""The forward pass of inverted dropout drew a random mask and computed

    out = x * mask / (1 - p)

`p` is the probability of *dropping* an element. `mask` has the shape of `x` and is True
for the elements that stay. `mask` was saved. `g` is dL/dout. Return `dx`.
"""

import numpy as np


def dropout_backward(g, mask, p):
    raise NotImplementedError

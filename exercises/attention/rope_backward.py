# /// autodrill
# title = "Backward of rotary position embedding"
# kind = "backward"
# difficulty = "medium"
# minutes = 7
# topics = ["attention", "linalg"]
# requires = ["mul_broadcast_backward"]
# ///
"""Rotary position embedding (RoPE) rotates pairs of features by an angle that depends on
the position. The last axis of `x` is split into a first half a and a second half b.
Feature i is paired with feature i + d/2. The forward pass computed

    out = [a · cos - b · sin, a · sin + b · cos]      # the halves, side by side

`x` has shape (..., n, d) with an even d. `cos` and `sin` have shape (n, d/2) and hold the
cosines and sines of the angles. Both were saved and need no gradient. The dots stand for
any number of axes, such as batch and heads. `g` is dL/dout, of the shape of x. Return
`dx`.
"""

import numpy as np


def rope_backward(g, cos, sin):
    raise NotImplementedError

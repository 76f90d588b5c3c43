# /// autodrill
# title = "Backward of sin and cos together"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["graph"]
# ///
"""The forward pass computed two outputs from one array: `s = sin(x)` and `c = cos(x)`.
The loss L depends on both outputs. `gs` is dL/ds and `gc` is dL/dc. Both have the shape
of `x`. Return `dx`.
"""

import numpy as np


def sin_cos_backward(gs, gc, x):
    raise NotImplementedError

# /// autodrill
# title = "Softmax with a learned temperature"
# kind = "backward"
# difficulty = "medium"
# minutes = 7
# topics = ["softmax", "activations"]
# requires = ["softmax_backward"]
# ///
"""The forward pass divided the logits by a temperature and took the softmax along the last
axis:

    out = softmax(x / T)

`x` has any number of axes. `T` is a positive number, given as a 0-d array, and all
elements of `x` share it. `T` is a learned parameter. `x`, `T` and `out` were saved. `g`
is dL/dout and has the shape of `out`. Return `dx, dT`, where `dT` is one number.
Memory is graded for long rows: no Jacobian matrix fits. Logits may be as large as ±1000,
so a probability may be exactly 0. The results must be finite even then.
"""

import numpy as np


def softmax_temperature_backward(g, x, T, out):
    raise NotImplementedError

# /// autodrill
# title = "Backward of PReLU"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["activations", "shapes"]
# requires = ["leaky_relu_backward", "unbroadcast"]
# ///
"""PReLU is a leaky ReLU with one learned slope per channel. `x` has shape (N, C, L): N
examples, C channels and L positions. `alpha` has shape (C,). The forward pass computed

    out[n, c, l] = x[n, c, l]               where x[n, c, l] > 0
    out[n, c, l] = alpha[c] · x[n, c, l]    elsewhere

`g` is dL/dout and has the shape of `x`. Return `dx, dalpha`. At x = 0 use the slope
alpha. Elements of `alpha` may be negative or larger than 1.
"""

import numpy as np


def prelu_backward(g, x, alpha):
    raise NotImplementedError

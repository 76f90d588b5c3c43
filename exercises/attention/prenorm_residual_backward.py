# /// autodrill
# title = "Backward of a pre-norm feed-forward block"
# kind = "backward"
# difficulty = "medium"
# minutes = 12
# topics = ["norm", "depth"]
# requires = ["rmsnorm_backward", "matmul_backward", "relu_backward"]
# ///
"""A pre-norm transformer block normalises its input, runs a small network on it, and
adds the result to the input. For `x` of shape (N, D), the forward pass of the
feed-forward block computed

    n   = x / sqrt(mean(x²) + 1e-6) * gamma    # mean over the last axis
    a   = n @ W1
    out = x + relu(a) @ W2

`gamma` has shape (D,), `W1` has shape (D, H) and `W2` has shape (H, D). Only the inputs
were saved. `g` is dL/dout, of shape (N, D). Return `dx, dgamma, dW1, dW2`. The slope of
relu at 0 is 0. A row of x may be all 0, and W2 may be all 0.
"""

import numpy as np


def prenorm_residual_backward(g, x, gamma, W1, W2):
    raise NotImplementedError

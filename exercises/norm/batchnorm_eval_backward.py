# /// autodrill
# title = "Backward of batch normalisation in eval mode"
# kind = "backward"
# difficulty = "easy"
# minutes = 5
# topics = ["norm"]
# requires = ["mul_broadcast_backward", "sum_backward"]
# ///
"""A model is fine-tuned with its batch norm layers in eval mode. Such a layer
normalises with running averages, which were collected earlier and are now constants.
For `x` of shape (N, D), it computed

    out = (x - running_mean) / sqrt(running_var + 1e-5) * gamma + beta

All other arrays have shape (D,). `running_var` may contain 0, and N may be 1. `g` is
dL/dout. Return `dx, dgamma, dbeta`.
"""

import numpy as np


def batchnorm_eval_backward(g, x, running_mean, running_var, gamma):
    raise NotImplementedError

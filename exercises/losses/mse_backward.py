# /// autodrill
# title = "Backward of the mean squared error"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["losses"]
# requires = ["sum_backward"]
# ///
"""The forward pass computed the mean squared error over all elements of two arrays of the
same shape:

    L = mean((pred - target)²)

The arrays may have any number of axes. `g`, a 0-d array, is the upstream gradient of the
scalar L. Return `dpred, dtarget`.
"""

import numpy as np


def mse_backward(g, pred, target):
    raise NotImplementedError

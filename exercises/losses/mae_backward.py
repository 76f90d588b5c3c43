# /// autodrill
# title = "Backward of the mean absolute error"
# kind = "backward"
# difficulty = "easy"
# minutes = 3
# topics = ["losses", "kinks"]
# requires = ["mse_backward"]
# ///
"""The forward pass computed the mean absolute error over all elements of two arrays of the
same shape:

    L = mean(|pred - target|)

The arrays may have any number of axes. `g`, a 0-d array, is the upstream gradient of the
scalar L. Return `dpred`. Use the slope 0 where pred equals target.
"""

import numpy as np


def mae_backward(g, pred, target):
    raise NotImplementedError

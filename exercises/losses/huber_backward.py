# /// autodrill
# title = "Backward of the Huber loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 5
# topics = ["losses"]
# requires = ["mse_backward"]
# ///
"""The forward pass computed the Huber loss of two arrays of the same shape. With
e = pred - target, the loss of an element is

    e² / 2                    where |e| <= delta
    delta · (|e| - delta/2)   elsewhere

L is the mean of these losses over all elements. `delta` is a positive number. The arrays
may have any number of axes. `g`, a 0-d array, is the upstream gradient of the scalar L.
Return `dpred`.
"""

import numpy as np


def huber_backward(g, pred, target, delta):
    raise NotImplementedError

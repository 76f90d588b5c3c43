# /// autodrill
# title = "NaN from the branch not taken"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 7
# topics = ["kinks"]
# requires = ["maximum_backward"]
# ///
"""A model computes `out = np.where(x > 0, np.sqrt(x), 0)`, and the forward is right for
every `x`. Each line of the backward below follows an engine's rule for one operation.
Yet the gradient is NaN at every `x` that is 0 or negative, and the next optimizer step
spreads the NaN to the weights.

Repair `bug_where_nan`. `g` is dL/dout, has the shape of `x` and is finite. Return `dx`,
the gradient of `x`. For x > 0, `dx` is the gradient through the square root. For all
other x, including exactly 0, `dx` is 0. `dx` has the dtype of `x`. Do not
change `g` or `x`.
"""

import numpy as np


def bug_where_nan(g, x):
    root = np.sqrt(x)
    droot = np.where(x > 0, g, 0)  # backward of where: the branch not taken gets 0
    return droot / (2 * root)  # backward of sqrt

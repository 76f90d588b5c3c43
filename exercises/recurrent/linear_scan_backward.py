# /// autodrill
# title = "Backward of a linear scan"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["recurrent"]
# requires = ["mul_backward"]
# ///
"""The core of state-space models such as Mamba is a linear recurrence. It acts elementwise
on D channels:

    h_t = a_t · h_(t-1) + b_t,    t = 1 ... T,    from h_0 = h0

`a` and `b` have shape (T, D), `h0` has shape (D,), and T is at least 1. The forward
pass returned all states as `hs` of shape (T, D), with hs[0] = h_1. `g` is dL/dhs,
because *every* state feeds the loss. Return `da, db, dh0`.
"""

import numpy as np


def linear_scan_backward(g, a, b, h0, hs):
    raise NotImplementedError

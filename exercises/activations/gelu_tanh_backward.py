# /// autodrill
# title = "Backward of the tanh form of GELU"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["activations"]
# requires = ["gelu_backward"]
# ///
"""The forward pass computed GELU for each element of an array x of any shape, with the
approximation that GPT-2 used:

    u   = √(2/π) · (x + 0.044715 · x³)
    out = x/2 · (1 + tanh(u))

`g` is dL/dout and has the shape of `x`. Return `dx`, the gradient of this formula. The
gradient of the exact GELU counts as wrong: its slope differs by up to 9e-4. Elements of
x may be as large as ±1000, and dx must be finite there.
"""

import math

import numpy as np


def gelu_tanh_backward(g, x):
    raise NotImplementedError

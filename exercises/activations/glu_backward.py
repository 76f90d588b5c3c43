# /// autodrill
# title = "Backward of a gated linear unit"
# kind = "backward"
# difficulty = "medium"
# minutes = 5
# topics = ["activations", "shapes"]
# requires = ["silu_backward"]
# ///
"""A gated linear unit (GLU) splits its input into two halves along the last axis. The
first half is the value `a`, and the second half is the gate `b`:

    out = a · σ(b),    σ(b) = 1/(1 + exp(-b))

`x` holds both halves and has shape (..., 2h). `out` and `g` = dL/dout have shape
(..., h). The dots stand for any number of axes. Return `dx`, one array of the shape of
`x`. Elements of x may be as large as ±1000, and dx must be finite there.
"""

import numpy as np


def glu_backward(g, x):
    raise NotImplementedError

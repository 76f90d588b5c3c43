# /// autodrill
# title = "RMSNorm with a residual stream, both passes"
# kind = "forward_backward"
# difficulty = "medium"
# minutes = 12
# topics = ["norm", "memory"]
# requires = ["rmsnorm_backward"]
# ///
"""A pre-norm transformer adds the output of a block to the residual stream and then
normalises the stream for the next block. Fused kernels do both at once. `r` is the
stream, `x` is the output of the block, and `gamma` has shape (D,):

    h = x + r
    y = h / sqrt(mean(h²) + 1e-6) * gamma    # mean over the last axis, which has length D

Both h and y are outputs: `h` continues as the stream, and `y` feeds the next block. `x`
and `r` have one shape, with any number of axes. A row of h may be all 0.

Write both passes. The forward returns `(y, h), cache`. The backward receives `gy` =
dL/dy, `gh` = dL/dh and the cache, and returns `dx, dr, dgamma`. The paths through y are
not part of `gh`.

The cache must hold few numbers: at most as many as h, gamma and one number per row
together. An array counts once, and a view counts as the whole array. Other layers run
their forward before your backward runs. The arrays y and h stay unchanged until then.
"""

import numpy as np


def rmsnorm_residual_forward(x, r, gamma):
    raise NotImplementedError
    return (y, h), cache


def rmsnorm_residual_backward(gy, gh, cache):
    raise NotImplementedError

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

Both h and y are outputs: `h` continues as the stream, and `y` feeds the next block. `x` and `r`
have the same shape, with any number of axes. A row of h may be all 0.

Write both passes. The forward returns `(y, h), cache`. The backward receives `gy` = dL/dy, `gh` =
dL/dh and the cache, and returns `dx, dr, dgamma`. `gh` covers only the use of h as the stream. `gh`
does not include the gradient that reaches h through y. The three results must not share memory,
because later code may add to one of them in place.

The cache may hold as many numbers as h and gamma together, and one more per row of h. An
array that appears twice counts once. A view counts as the whole array it belongs to.
Other layers run their forward before your backward runs. Those layers do not change y, h
or gamma.
"""

import numpy as np


def rmsnorm_residual_forward(x, r, gamma):
    raise NotImplementedError
    return (y, h), cache


def rmsnorm_residual_backward(gy, gh, cache):
    raise NotImplementedError

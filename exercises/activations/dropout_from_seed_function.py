# /// autodrill
# title = "Dropout that draws its mask again"
# kind = "function"
# difficulty = "medium"
# minutes = 8
# topics = ["memory", "custom", "activations"]
# requires = ["dropout_backward"]
# entry = "DropoutFromSeed"
# ///
"""Write inverted dropout as a custom autograd function that keeps no mask:

    u    = np.random.default_rng(seed).random(x.shape)
    keep = u >= p
    out  = x · keep / (1 - p)

`p`, with 0 <= p < 1, is the probability of dropping an element, and `seed` is an integer.
`forward(ctx, x, p, seed)` returns `out`. `backward(ctx, g)` receives g = dL/dout and
returns one gradient for each of x, p and seed: `dx`, and None for p and for seed.

`ctx` has `save_for_backward(*values)` and `saved_tensors`, and it accepts other
attributes. Each call of forward has its own ctx. Up to 800 layers run forward before the
first backward runs, and the memory that all contexts hold together is graded. A ctx may
hold a few numbers and a shape. It must not hold an array: no mask, no x and no out.
"""

import numpy as np


class DropoutFromSeed:
    @staticmethod
    def forward(ctx, x, p, seed):
        raise NotImplementedError

    @staticmethod
    def backward(ctx, g):
        raise NotImplementedError

# /// autodrill
# title = "Backward of group normalisation"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["norm", "conv"]
# requires = ["layernorm_backward"]
# ///
"""Group norm replaces batch norm in image models with small batches. `x` has shape (N,
C, L): N samples, C channels and L positions. The channels form G groups of C/G
neighbouring channels. G divides C. For each sample and each group, the forward pass
computed

    xhat = (x - mean) / sqrt(var + 1e-5)

`mean` and the biased variance `var` are taken over the channels of the group and over
all positions. Then `out = gamma * xhat + beta`. `gamma` and `beta` have shape (C,), so
each channel has its own pair. `g` is dL/dout. Return `dx, dgamma, dbeta`.

A group may consist of a single element, and entries of x may be near 10,000. Compute the mean
first, and then the variance as the mean of (x - mean)². The formula mean(x²) - mean(x)² loses too
many digits for such entries.
"""

import numpy as np


def groupnorm_backward(g, x, gamma, G):
    raise NotImplementedError

# /// autodrill
# title = "Backward of max pooling"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["conv", "kinks"]
# requires = ["maximum_backward"]
# ///
"""The forward pass took the maximum of each k x k window of an image `x` of shape (H, W).
A window starts every `stride` pixels, and only windows that fit into the image count:

    out[y, z] = x[y·stride : y·stride + k, z·stride : z·stride + k].max()

`g` is dL/dout and has the shape of `out`. Return `dx`. Windows overlap if `stride` < k.
If several pixels of a window hold its maximum, the first in reading order gets all of
the gradient, as in PyTorch. Loops over windows are fine.
"""

import numpy as np


def maxpool2d_backward(g, x, k, stride):
    raise NotImplementedError

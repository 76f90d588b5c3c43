# /// autodrill
# title = "Backward of a 2-D convolution"
# kind = "backward"
# difficulty = "hard"
# minutes = 20
# topics = ["conv", "shapes"]
# requires = ["matmul_backward", "sum_backward"]
# ///
"""The forward pass computed what frameworks call a convolution. It padded `x` of shape
(N, C, H, W) with `pad` zeros on each side of its last two axes. With s = stride it then
computed

    out[n, o, y, z] = b[o] + Σ_{c,i,j} w[o, c, i, j]
                             · padded[n, c, y·s + i, z·s + j]

for every window that fits. `w` has shape (O, C, K, L), and `b` has shape (O,). `g` is
dL/dout and has the shape of `out`. Return `dx, dw, db`.

You may loop over the K·L positions of the kernel, but not over single elements.
"""

import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    raise NotImplementedError

# /// autodrill
# title = "Backward of alpha compositing"
# kind = "backward"
# difficulty = "hard"
# minutes = 14
# topics = ["recurrent"]
# requires = ["linear_scan_backward"]
# ///
"""Volume rendering and Gaussian splatting compute the colour of a pixel from n samples along a ray, from
front to back. Sample i has the opacity alpha_i and the colour c_i. Each sample dims what lies behind it:

    T_i = Π_(j < i) (1 - alpha_j)         # the light that reaches sample i
    out = Σ_i T_i · alpha_i · c_i

Samples are numbered from 1, so T_1 is 1. `alpha` has shape (n,), and `alpha[0]` is alpha_1. The values
of alpha are from 0 to 1, and both 0 and 1 occur. `color` has shape (n, 3), and row 0 is c_1. n is at
least 1. `g` is dL/dout, of shape (3,). Return `dalpha, dcolor`. Both gradients must be finite for every
such alpha. n may be large, so the work must grow like n and not like n².
"""

import numpy as np


def alpha_composite_backward(g, alpha, color):
    raise NotImplementedError

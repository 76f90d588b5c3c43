# /// autodrill
# title = "Backward of weight normalisation"
# kind = "backward"
# difficulty = "medium"
# minutes = 7
# topics = ["norm"]
# requires = ["l2_normalize_backward"]
# ///
"""Weight normalisation learns the direction and the scale of each output row separately. `v` has
shape (k, d). Row i of the weight is made from row i of `v` and from one number `s[i]`:

    W[i] = s[i] * v[i] / |v[i]|    # |v[i]| is the square root of the sum of squares

`s` has shape (k,) and may be negative or 0. No row of v is 0, but the norms of the rows may be
as large as 1e14 or as small as 1e-14. `g` is dL/dW, of shape (k, d). Return `dv, ds`.
"""

import numpy as np


def weightnorm_backward(g, v, s):
    raise NotImplementedError

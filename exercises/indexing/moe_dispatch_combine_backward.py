# /// autodrill
# title = "Dispatch and combine with expert capacity"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["indexing", "sparse", "linalg"]
# requires = ["setitem_backward", "matmul_backward"]
# ///
"""A mixture of experts has E experts with `capacity` slots each. Token n chose the experts
`idx[n, 0]` to `idx[n, k-1]`, with the weights `w[n, 0]` to `w[n, k-1]`. The choices are
read in the order of n, and for each n in the order of j. Choice (n, j) takes a free slot
of expert idx[n, j]. If the expert has no free slot, the choice is dropped. The forward
pass computed

    out_n = Σ_j w_nj · (x_n @ We[idx_nj])    over the kept choices (n, j) of token n

`x` has shape (N, d), `w` and the integers `idx` have shape (N, k), and `We` has shape (E, d, e).
`g` is dL/dout, of shape (N, e). Return `dx, dw, dWe`. idx is a constant. A dropped choice, a token
without kept choices and an expert without tokens have gradient 0. A token may choose the same
expert twice, and then takes two slots. The capacity may be 0, and it may exceed the number of
choices.
"""

import numpy as np


def moe_dispatch_combine_backward(g, x, w, We, idx, capacity):
    raise NotImplementedError

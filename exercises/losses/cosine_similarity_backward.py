# /// autodrill
# title = "Backward of cosine similarity"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["losses", "norm"]
# requires = ["mul_broadcast_backward", "sum_backward"]
# ///
"""`a` and `b` have the same shape. Their last axis holds vectors of length d, and there may be any number of axes before
it. The forward pass computed the cosine of the angle between each pair of vectors:

    c = (Σ_k a_k b_k) / (|a| |b|)     with the sum and the norms along the last axis

`g` is dL/dc and has the shape of `c`, so it lacks the last axis. Return `da, db`. The entries of a vector have
a typical size between 1e-3 and 1e4, and no vector is zero. Some pairs are parallel, and their gradients are 0 up to
rounding.
"""

import numpy as np


def cosine_similarity_backward(g, a, b):
    raise NotImplementedError

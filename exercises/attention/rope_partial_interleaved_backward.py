# /// autodrill
# title = "Partial RoPE with neighbouring pairs"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["attention", "indexing"]
# requires = ["rope_backward"]
# ///
"""Some models rotate only a part of each head, and pair neighbouring features. For `x` of
shape (H, n, d), the first r features of each head form r/2 pairs: features 2i and 2i + 1
are pair i. A pair (a, b) becomes

    (a · cos - b · sin, a · sin + b · cos)

The other d - r features are passed on unchanged. `cos` and `sin` have shape (n, r/2) and
hold the cosines and sines of the angles, by position and pair. All heads share them. r is
even, at least 2 and at most d, and d may be odd. `g` is dL/dout, of shape (H, n, d).
Return `dx`.
"""

import numpy as np


def rope_partial_interleaved_backward(g, cos, sin):
    raise NotImplementedError

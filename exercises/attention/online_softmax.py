# /// autodrill
# title = "Online softmax over blocks of keys"
# kind = "program"
# difficulty = "hard"
# minutes = 15
# topics = ["attention", "softmax", "memory"]
# requires = ["attention_backward"]
# ///
"""Attention over a long sequence gets its scores one block of keys at a time. `blocks` is
an iterator that yields each block once, as a pair `s, v`. The scores `s` of n queries
with b keys have shape (n, b), and the values `v` of these keys have shape (b, e). The
number b is at least 1 and may differ between blocks. The numbers n and e are the same in
all blocks. There is at least one block. For each query i, with sums over the keys j of
all blocks, compute

    lse_i = log Σ_j exp(s_ij)
    out_i = Σ_j exp(s_ij - lse_i) v_j

Return `out` of shape (n, e) and `lse` of shape (n,). Memory must not grow with the number
of blocks. Hold at most two blocks at a time.

Scores may be as large as ±1000. The score is -inf if a query does not see a key. A query
may see no key of a block, but it sees at least one key in total. All numbers are
float64, and the results must be finite.
"""

import numpy as np


def online_softmax(blocks):
    raise NotImplementedError

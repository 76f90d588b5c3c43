# /// autodrill
# title = "Backward of grouped-query attention"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["attention", "shapes"]
# requires = ["attention_backward", "sum_backward"]
# ///
"""In grouped-query attention, several query heads share one key head and one value head.
There are H query heads and K key heads, and r = H/K is an integer. Query head h reads
key head h // r, so r *consecutive* query heads form a group. The forward pass computed

    s_h   = q_h kᵀ / √d        # k and v are those of key head h // r
    out_h = softmax(s_h) v     # each row of softmax(s_h) sums to 1

There are n queries and m keys. `q`, `k` and `v` have the shapes (H, n, d), (K, m, d)
and (K, m, e). Nothing else was saved. `g` is dL/dout, of shape (H, n, e). Return `dq,
dk, dv`, with the shapes of `q`, `k` and `v`.

K may be 1 (multi-query attention) or H (ordinary attention). Scores may be as large as
±1000, and the results must be finite there.
"""

import numpy as np


def gqa_backward(g, q, k, v):
    raise NotImplementedError

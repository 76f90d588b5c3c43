# /// autodrill
# title = "Backward of merging two attentions"
# kind = "backward"
# difficulty = "hard"
# minutes = 12
# topics = ["attention", "softmax"]
# requires = ["attention_backward", "logsumexp_backward"]
# ///
"""n queries attended to two separate sets of keys. Part 1 gave the output `o1` of shape
(n, e) and the log-sum-exp of each row of scores, `l1` of shape (n,). Part 2 gave `o2` and
`l2`, of the same shapes. The merge computes the attention to all keys, row by row:

    lse = log(exp(l1) + exp(l2))
    w1  = exp(l1 - lse),    w2 = exp(l2 - lse)
    out = w1 · o1 + w2 · o2

The merge returns both `out` and `lse`, because a later merge reads both. `g` is
dL/dout, of shape (n, e), and `glse` is dL/dlse, of shape (n,). Return `do1, dl1, do2,
dl2`.

`l1` and `l2` may be as large as ±1000. If part 1 is fully masked in a row, l1 is -inf
there, o1 is finite, and do1 and dl1 are 0 in that row. The same holds for part 2. At least
one of l1 and l2 is finite in each row. The results must be finite.
"""

import numpy as np


def merge_attention_backward(g, glse, o1, l1, o2, l2):
    raise NotImplementedError

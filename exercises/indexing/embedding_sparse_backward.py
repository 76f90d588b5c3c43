# /// autodrill
# title = "Sparse backward of an embedding"
# kind = "program"
# difficulty = "medium"
# minutes = 8
# topics = ["sparse", "indexing"]
# requires = ["setitem_backward"]
# ///
"""The forward pass looked up rows of a table: `out = W[ids]`, with `W` of shape (V, D)
and integers `ids` of any shape. `g` is dL/dout, of shape (*ids.shape, D). V may be a
million although a batch reads only a hundred rows. So the gradient of `W` must be in
sparse, coalesced form.

Return `rows, values`. `rows` is a 1-D integer array with the index of every row of W
that was looked up, each index once and in ascending order. `values` holds the gradients
of those rows and has shape (len(rows), D). A batch may be empty. Elements of g may be as
large as 1e308, but no sum over one row overflows. Do not change `g` or `ids`.
"""

import numpy as np


def embedding_sparse_backward(g, ids):
    raise NotImplementedError

# /// autodrill
# title = "Backward of a tied embedding"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["attention", "indexing", "linalg"]
# requires = ["embedding_sparse_backward", "matmul_backward"]
# ///
"""A small language model uses one matrix `E`, of shape (V, D), as its input embedding and as
its output layer. For a sequence of n token ids, the forward pass computed

    h      = mean of the rows E[ids]     # (D,)
    logits = E h                         # (V,)

`ids` has shape (n,), and an id may occur several times. `g` is dL/dlogits, of shape (V,).
Return `dE`, the gradient of `E` through both uses.
"""

import numpy as np


def tied_embedding_backward(g, E, ids):
    raise NotImplementedError

# /// autodrill
# title = "Cross-entropy with smoothing and z-loss"
# kind = "backward"
# difficulty = "medium"
# minutes = 10
# topics = ["losses", "softmax"]
# requires = ["cross_entropy_ignore_index_backward", "logsumexp_backward"]
# ///
"""Language models are often trained with label smoothing and a z-loss, which keeps the logits from drifting. `logits`
has shape (N, V), and `y`, of shape (N,), holds the labels. Rows with the label `ignore` are padding, and `ignore` may
be any integer that is not a class. For a row that counts, let p = softmax(logits) and lse = log Σ_v exp(logits_v). Its
loss is

    (1 - eps) · (-log p_y) + eps · (1/V) Σ_v (-log p_v) + z · lse²

The loss L is the mean over the K rows that count. `eps` and `z` are numbers, and `g`, a 0-d array, is the upstream
gradient of the scalar L. Return `dlogits`. It is 0 in every padded row, and 0 everywhere if all rows are padding.
Logits may be as large as ±1000.
"""

import numpy as np


def zloss_cross_entropy_backward(g, logits, y, eps, z, ignore=-100):
    raise NotImplementedError

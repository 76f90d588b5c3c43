# /// autodrill
# title = "Cross-entropy with padding"
# kind = "backward"
# difficulty = "medium"
# minutes = 7
# topics = ["losses", "softmax"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""The forward pass computed the cross-entropy of a padded batch. `logits` has shape (N, C),
and the labels `y` have shape (N,). Rows whose label is `ignore` do not count. The loss
is the mean over the other K rows:

    L = -(1/K) Σ_n log_softmax(logits)[n, y_n]    over the rows n with y_n ≠ ignore

`g`, a 0-d array, is the upstream gradient of the scalar L. Return `dlogits`. `dlogits`
is 0 in every ignored row. If all rows are ignored, `dlogits` is 0 everywhere. `ignore`
may be any integer that is not a class.
"""

import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    raise NotImplementedError

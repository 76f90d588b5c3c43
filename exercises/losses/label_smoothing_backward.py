# /// autodrill
# title = "Cross-entropy with label smoothing"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["losses", "softmax"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""Label smoothing moves a share `eps` of each label's probability to all C classes, including the label's own class.
The forward pass computed, for `logits` of shape (N, C) and integer labels `y` of shape (N,),

    q_nc = (1 - eps) · [c = y_n] + eps/C
    L = -(1/N) Σ_n Σ_c q_nc · log_softmax(logits)[n, c]

Here [c = y_n] is 1 if c is the label of row n, and 0 otherwise. `eps` is a number between 0 and 1, both included. `g`,
a 0-d array, is the upstream gradient of the scalar L. Return `dlogits`. Logits may be as large as ±1000.
"""

import numpy as np


def label_smoothing_backward(g, logits, y, eps):
    raise NotImplementedError

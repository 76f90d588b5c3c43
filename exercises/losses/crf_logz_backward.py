# /// autodrill
# title = "Backward of a CRF's partition function"
# kind = "backward"
# difficulty = "hard"
# minutes = 18
# topics = ["losses", "recurrent"]
# requires = ["logsumexp_backward"]
# ///
"""A linear-chain conditional random field scores a sequence of T labels. Each label is one of K classes. The
score of the label path y = (y_1, ..., y_T) is

    score(y) = Σ_t em[t, y_t]  +  Σ_(t ≥ 2) trans[y_(t-1), y_t]

`em` has shape (T, K). `trans` has shape (K, K), with the earlier label as the row and the later label as
the column. The forward pass computed the logarithm of the partition function, which sums over all label paths:

    out = log Σ_y exp(score(y))

`g`, a 0-d array, is the upstream gradient of the scalar out. Return `dem, dtrans`. T and K are at least 1.
Scores may have magnitudes of 1000 and more, and the results must stay finite. Do not list the paths,
because there may be far too many.
"""

import numpy as np


def crf_logz_backward(g, em, trans):
    raise NotImplementedError

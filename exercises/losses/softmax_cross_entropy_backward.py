# /// autodrill
# title = "Backward of softmax cross-entropy"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["losses", "softmax"]
# requires = ["softmax_backward"]
# ///
"""The forward pass computed the mean cross-entropy of a batch:

    L = -(1/N) Σ_n log_softmax(logits)[n, y_n]

`logits` has shape (N, C), and the integer labels `y` have shape (N,). `g` is the
upstream gradient of the scalar L. `g` is a 0-d array and need not be 1. Return `dlogits`.
Logits may be as large as ±1000. The caller uses `logits` again after your call.
"""


def softmax_cross_entropy_backward(g, logits, y):
    raise NotImplementedError

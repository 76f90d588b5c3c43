# /// autodrill
# title = "Backward of softmax cross-entropy"
# kind = "backward"
# difficulty = "medium"
# minutes = 6
# topics = ["losses", "softmax", "stability"]
# requires = ["softmax_backward"]
# ///
"""The forward pass computed the mean cross-entropy of a batch,

    L = -(1/N) Σ_n log_softmax(logits)[n, y_n]

with `logits` of shape (N, C) and integer labels `y` of shape (N,). `g` is the gradient
of the scalar L, a 0-d array that need not be 1. Return `dlogits`. Logits may be as
large as ±1000. The caller still needs `logits` afterwards.
"""


def softmax_cross_entropy_backward(g, logits, y):
    raise NotImplementedError

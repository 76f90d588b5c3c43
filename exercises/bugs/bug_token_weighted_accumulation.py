# /// autodrill
# title = "Gradient accumulation that depends on the split"
# kind = "bugfix"
# difficulty = "medium"
# minutes = 8
# topics = ["distributed", "losses"]
# requires = ["cross_entropy_ignore_index_backward", "bug_zero_grad"]
# ///
"""A colleague trains a language model on `world` ranks with gradient accumulation. The result should be the gradient of
the mean cross-entropy over *all* labelled tokens of all micro-batches of all ranks. In tests with full micro-batches
the gradient is right. On real texts it changes when the same tokens are split differently, and sometimes it is NaN.

Repair `bug_token_weighted_accumulation`, which runs on every rank. `batches` is this rank's list of micro-batches. A
micro-batch is a pair of x and y. x has shape (n, d). y has shape (n,), and a token with y < 0 is padding. Ranks may
have different numbers of micro-batches, and each rank has at least one. A micro-batch may consist of padding only, but
at least one micro-batch of some rank has a labelled token. The logits are x W. `all_reduce(a)` takes an array or a
number, waits for all ranks, and returns the elementwise sum over ranks. Every rank returns the same gradient of W.

Do not change the arguments. Messages are graded: call `all_reduce` at most twice on each rank. Together, the two calls
may pass at most one number more than W has elements.
"""

import numpy as np


def grad_of_sum(W, x, y):
    """Return the gradient of the *sum* of the labelled tokens' losses."""
    z = x @ W
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), y] -= 1
    p[y < 0] = 0
    return x.T @ p


def bug_token_weighted_accumulation(W, batches, all_reduce, world):
    grad = np.zeros_like(W)
    for x, y in batches:
        count = (y >= 0).sum()
        grad += grad_of_sum(W, x, y) / count / len(batches)
    return all_reduce(grad) / world  # the mean over ranks, as in DDP

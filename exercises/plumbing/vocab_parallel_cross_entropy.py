# /// autodrill
# title = "Cross-entropy with the vocabulary split over ranks"
# kind = "program"
# difficulty = "hard"
# minutes = 20
# topics = ["distributed", "losses", "softmax"]
# requires = ["softmax_cross_entropy_backward", "ddp_bucket_allreduce"]
# ///
"""The output matrix W of a language model, of shape (V, d), is split over ranks by rows. Each rank holds `W_rank`,
the rows of W from row `offset` on. Ranks may hold different numbers of rows, but every rank holds at least one. All
ranks have the same `h` of shape (N, d) and the same labels `y` of shape (N,), with 0 <= y < V. The loss is

    z = h Wᵀ,    loss = mean over n of (log Σ_v exp(z[n, v]) - z[n, y[n]])

Your function runs on every rank. `all_reduce(x, op)` takes an array and waits for all ranks. It returns the
elementwise sum over ranks if `op` is "sum", and the maximum if `op` is "max". Return `loss, dh, dW_rank`. Every rank
returns the whole loss and the whole dL/dh, but only the rows of dL/dW that the rank holds.

The logits may be as large as ±2000, and the results must be finite. Messages are graded: call `all_reduce` at most
four times on each rank, and pass it at most 3·N + N·d numbers in all. There is no room for the N x V logits.
"""


def vocab_parallel_cross_entropy(h, W_rank, y, offset, all_reduce):
    raise NotImplementedError

# /// autodrill
# title = "InfoNCE with negatives from all ranks"
# kind = "program"
# difficulty = "hard"
# minutes = 14
# topics = ["distributed", "losses", "softmax"]
# requires = ["softmax_cross_entropy_backward", "ddp_bucket_allreduce"]
# ///
"""Contrastive training uses the pairs of all `world` ranks as negatives. Rank r holds `a` and `b` of shape (m, d).
Row i of `a` belongs to row i of `b`. Let A and B be the rows of all ranks in the order of ranks, of shape (world·m,
d), and n = world·m. The loss is

    s = A Bᵀ / T,    L = mean over the n rows i of (log Σ_j exp(s_ij) - s_ii)

Your function runs on every rank. It returns `da, db`, the gradients of the whole L with respect to this rank's own
rows of A and B. There are two collectives, and each one waits for all ranks:

- `all_gather(x)` returns the list of the arrays x of all ranks, in the order of ranks.
- `reduce_scatter(x)` takes an array of n rows. It adds the arrays of all ranks and returns m rows of the sum: rank 0
  gets the first m rows, rank 1 the next m rows, and so on.

Entries of s may be as large as ±2000, and the results must be finite. Messages are graded: make at most two calls of
collectives on each rank, and pass them at most m·d + n·d numbers in all. Memory is graded
too, in a case with many ranks. A rank may hold its own m rows of s, but not the n x n matrix.
"""


def infonce_gathered_backward(rank, world, a, b, T, all_gather, reduce_scatter):
    raise NotImplementedError

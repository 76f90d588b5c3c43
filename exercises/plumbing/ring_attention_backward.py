# /// autodrill
# title = "Backward of ring attention"
# kind = "program"
# difficulty = "expert"
# minutes = 25
# topics = ["distributed", "attention"]
# requires = ["flash_attention_backward", "ddp_bucket_allreduce"]
# ///
"""Attention runs over a sequence that is split over `world` ranks. Rank r holds m rows of each array: `q` and `k` of
shape (m, d), `v` of shape (m, e), where e is at least 2. Let Q, K and V be the rows of all ranks in the order of ranks.
The forward computed

    S = Q Kᵀ / √d,    out = softmax(S) V    along the rows of S, without a mask

Each rank saved its own rows of `out` and of `lse`. `lse` has shape (m,) and holds the logarithm of the sum of
exponentials of each *whole* row of S. `g` is dL/dout of the rank's own rows. L depends on the rows of all ranks.

Your function runs on every rank and returns `dq, dk, dv` of its own rows. `shift(arrays)` takes a tuple of arrays,
sends it to rank (rank + 1) mod world, and returns the tuple that rank (rank - 1) mod world sent. It waits for all
ranks.

Scores may be as large as ±2000, and the results must be finite. Messages are graded: call `shift` at most 2·world
times on each rank, and pass it at most 2·world·m·(d + e) numbers in all.
"""


def ring_attention_backward(rank, world, g, q, k, v, out, lse, shift):
    raise NotImplementedError

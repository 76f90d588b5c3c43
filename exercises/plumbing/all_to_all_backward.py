# /// autodrill
# title = "Backward of an expert-parallel all-to-all"
# kind = "program"
# difficulty = "medium"
# minutes = 12
# topics = ["distributed", "indexing"]
# requires = ["ddp_bucket_allreduce"]
# ///
"""In expert parallelism each rank sends its tokens to the ranks of their experts. A rank has x of shape (n, d), one
row per token. It sorted the tokens by the rank they go to, and exchanged rows with all ranks:

    received = exchange(x[perm], send)

`perm` is an integer array, a permutation of 0 to n - 1. `exchange(rows, splits)` is an all-to-all. It sends the first
splits[0] rows to rank 0, the next splits[1] rows to rank 1, and so on. It waits for all ranks and returns the rows that
this rank gets. The rows from rank 0 come first, then the rows from rank 1, and so on. In the forward this rank got
`recv[r]` rows from rank r. `send` and `recv` are lists of counts, with one count per rank. Any count may be 0.

Your function runs on every rank. `g` is dL/dreceived, of shape (Σ recv, d). L depends on the received rows of all
ranks. Return dx = dL/dx, of shape (n, d), in the order of x. Messages are graded. Every rank must call `exchange`
exactly once, even if it has no rows to send. It must send each row of g once, and nothing else.
"""

import numpy as np


def all_to_all_backward(g, perm, send, recv, exchange):
    raise NotImplementedError

# /// autodrill
# title = "Backward of a tensor-parallel MLP"
# kind = "program"
# difficulty = "hard"
# minutes = 12
# topics = ["distributed", "linalg"]
# requires = ["matmul_backward", "relu_backward", "ddp_bucket_allreduce"]
# ///
"""An MLP is split over `world` ranks. Each rank holds some columns of W1 and the matching rows of W2. All ranks have
the same x of shape (N, d) and the same bias b. In the forward, rank r computed

    h_r = relu(x W1_rank),    out = all_reduce(h_r W2_rank) + b

so all ranks have the same `out`. `g` is dL/dout of shape (N, e), and it is the same on all ranks, because every rank
computes the same loss L from `out`. Nothing of the forward was saved except x and the parameters.

Your function runs on every rank. `W1_rank` has shape (d, k) and `W2_rank` has shape (k, e). The width k may differ
between ranks. `all_reduce(x)` takes an array, waits for all ranks, and returns the elementwise sum over ranks. Return
`dx, dW1_rank, dW2_rank, db`. Every rank returns the whole dL/dx and dL/db, but only its own parts of dL/dW1 and dL/dW2.
The slope of relu at 0 is 0.

Messages are graded: call `all_reduce` at most once on each rank, and pass it at most N·d numbers.
"""


def tensor_parallel_mlp_backward(x, W1_rank, W2_rank, g, all_reduce, world):
    raise NotImplementedError

# /// autodrill
# title = "Log-probabilities in chunks of the vocabulary"
# kind = "backward"
# difficulty = "hard"
# minutes = 15
# topics = ["losses", "memory", "post-training"]
# requires = ["softmax_cross_entropy_backward", "matmul_backward"]
# ///
"""Policy-gradient and preference losses need the log-probability of each token of an answer.
For N tokens with hidden states `h`, the forward pass computed

    z      = h Wᵀ                            # logits, (N, V)
    lse_n  = log Σ_v exp(z_nv)
    out_n  = z[n, y_n] - lse_n               # log-probability of the token y_n

`h` has shape (N, D), `W` has shape (V, D), and the integer tokens `y` have shape (N,). The forward
went through W in chunks of `chunk` rows, so z never existed as a whole. It saved `lse`, of shape
(N,). `g` is dL/dout, of shape (N,). Its entries may be positive, negative or 0.

Return `dh, dW`. Go through W in chunks of `chunk` rows as well. `chunk` is at least 1. It
need not divide V, and it may exceed V. Besides the arguments and the results, hold at
most a few arrays of N · chunk numbers at a time. The memory must not grow with N · V.
This is graded for large N and V. Logits may be as large as ±1000, and the results must be
finite there.
"""

import numpy as np


def chunked_logprob_backward(g, h, W, y, lse, chunk):
    raise NotImplementedError

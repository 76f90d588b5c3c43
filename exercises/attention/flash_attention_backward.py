# /// autodrill
# title = "FlashAttention's backward, tile by tile"
# kind = "backward"
# difficulty = "expert"
# minutes = 35
# topics = ["attention", "memory", "recomputation"]
# requires = ["softmax_backward", "matmul_backward"]
# ///
"""Attention for one head: `q` of shape (n, d), `k` of shape (m, d), `v` of shape (m, e),

    s = q kᵀ / √d,    out = softmax(s) v    along the rows of s

and where `causal`, query i sees the keys j <= i only. The n x m matrix was never held: the forward kept `out` and, for
each row of s, `lse`, the logarithm of the sum of its exponentials, of shape (n,). `g` is dL/dout.

Return `dq, dk, dv`, working on tiles of `bq` queries by `bk` keys. Neither size need divide n or m. Memory beyond the
inputs and results may not grow with n·m.
"""


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    raise NotImplementedError

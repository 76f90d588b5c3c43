# /// autodrill
# title = "FlashAttention's backward, tile by tile"
# kind = "backward"
# difficulty = "expert"
# minutes = 35
# topics = ["attention", "memory"]
# requires = ["softmax_backward", "matmul_backward"]
# ///
"""Attention for one head takes `q` of shape (n, d), `k` of shape (m, d) and `v` of shape (m, e):

    s = q kᵀ / √d,    out = softmax(s) v    along the rows of s

If `causal` is true, query i sees only the keys j <= i. The forward never held the n x m matrix s in
memory. The forward saved `out` and `lse`. `lse` has shape (n,) and holds the logarithm of the sum of
exponentials of each row of s. `g` is dL/dout.

Return `dq, dk, dv`. Work on tiles of `bq` queries by `bk` keys. n and m need not be multiples of the tile sizes.
Memory beyond the inputs and results must not grow with n·m. This is graded for large n and m.
"""


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    raise NotImplementedError

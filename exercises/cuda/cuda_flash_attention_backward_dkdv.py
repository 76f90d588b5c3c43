# /// autodrill
# title = "FlashAttention's backward for keys and values as a kernel"
# kind = "kernel"
# difficulty = "expert"
# minutes = 45
# topics = ["cuda", "attention"]
# requires = ["cuda_layernorm_backward_params", "flash_attention_backward"]
# ///
"""Attention for one head took n queries `q`, m keys `k` and m values `v`, each a row of d
numbers:

    s[i][j] = q[i]·k[j] / sqrt(d)    p = softmax of each row of s    out = p v

The n x m matrices s and p were never stored. The forward saved `lse[i]`, the logarithm
of the sum of exp(s[i][j]) over j. `g` is dL/dout. An earlier kernel computed `D[i]`,
the sum of g[i][c]·out[i][c] over c. Write the kernel that stores dL/dk in `dk` and
dL/dv in `dv`, which are not initialised. Recompute each p[i][j] from `lse`. All
matrices are stored row by row. Do not replace NaN in `g`. A p[i][j] below 1e-6 may count
as 0.

There is one block of 8 threads for each key. The threads share the queries: thread t
takes the queries t, t + 8, t + 16 and so on, and n need not be a multiple of 8. The
launch gives the block dynamic shared memory for 2·8·d floats, in which each thread can
collect its part of dk[j] and dv[j]:

    extern __shared__ float parts[];

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_flash_attention_backward_dkdv():
    return r"""
__global__ void fa_dkdv(const float* q, const float* k, const float* v,
                        const float* g, const float* lse, const float* D,
                        float* dk, float* dv, int n, int m, int d) {
}
"""

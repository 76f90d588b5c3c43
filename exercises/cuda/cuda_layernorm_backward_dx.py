# /// autodrill
# title = "Layer norm backward: the input's gradient as a kernel"
# kind = "kernel"
# difficulty = "hard"
# minutes = 30
# topics = ["cuda", "norm"]
# requires = ["cuda_softmax_backward", "layernorm_backward"]
# ///
"""Layer norm computed, for each row of a matrix `x` of N rows and D columns,

    rstd[i]    = 1 / sqrt(var(x[i]) + 1e-5)    # biased variance
    xhat[i][j] = (x[i][j] - mean(x[i])) * rstd[i]
    out[i][j]  = xhat[i][j] * gamma[j] + beta[j]

`g` is dL/dout. `g`, `xhat` and `dx` are stored row by row. `xhat` and `rstd`, which has
N elements, were saved. Write the kernel that stores dL/dx in `dx`, which is not
initialised. Do not replace NaN in `g`. Reading each element of `g` and `xhat` only once
for the sums and once for the result is good practice, and it is not graded.

There is one block for each row. A block has 64 threads, which are 2 warps. D may be
smaller or larger than 64, and is rarely a multiple of 32.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_layernorm_backward_dx():
    return r"""
__global__ void ln_bwd_dx(const float* g, const float* xhat, const float* rstd,
                          const float* gamma, float* dx, int D) {
}
"""

# /// autodrill
# title = "RMSNorm backward with one warp a row"
# kind = "kernel"
# difficulty = "hard"
# minutes = 20
# topics = ["cuda", "norm"]
# requires = ["cuda_bias_grad", "rmsnorm_backward"]
# ///
"""RMSNorm computed, for a matrix `x` of N rows and D columns,

    rho[i]    = 1 / sqrt(mean of x[i][j]² over j + 1e-6)
    out[i][j] = x[i][j] * rho[i] * gamma[j]

`g` is dL/dout. `g`, `x` and `dx` are stored row by row. `rho` has N elements and was
saved, and `gamma` has D elements. Write the kernel that stores dL/dx in `dx`, which is
not initialised. The gradient of gamma is not asked for.

A block has 64 threads, which are 2 warps, and each warp takes one row: a block takes
rows 2·blockIdx.x and 2·blockIdx.x + 1. There are as many blocks as the rows need, so
the last block may have one row. D may be smaller than 32. A larger D need not be a
multiple of 32. The 32 lanes of a warp share the columns of their row, and combine their
partial sums by shuffles such as `__shfl_xor_sync(0xffffffffu, value, bits)`. All 32
lanes of the mask must execute each shuffle. Neither shared memory nor `__syncthreads`
is needed. Do not replace NaN in `g`.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_rmsnorm_backward_warp():
    return r"""
__global__ void rmsnorm_bwd(const float* g, const float* x, const float* gamma,
                            const float* rho, float* dx, int N, int D) {
}
"""

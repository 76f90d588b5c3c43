# /// autodrill
# title = "Layer norm backward: gamma's and beta's gradients as a kernel"
# kind = "kernel"
# difficulty = "hard"
# minutes = 25
# topics = ["cuda", "norm"]
# requires = ["cuda_layernorm_backward_dx", "cuda_bias_grad"]
# ///
"""Layer norm scaled and shifted the normalised rows of a matrix of N rows and D columns:
`out[i][j] = xhat[i][j] * gamma[j] + beta[j]`. `g` is dL/dout. `g` and `xhat` are stored
row by row. Write the kernel that adds dL/dgamma to `dgamma` and dL/dbeta to `dbeta`,
both of D elements. The caller sets both to zero before the launch. Do not replace NaN
in `g`.

A block has 8 x 4 threads: threadIdx.x counts 8 neighbouring columns, and threadIdx.y
counts 4 rows. Along x, the grid has as many blocks as the columns need. Along y, the
grid has 3 blocks. Each element of `g` and `xhat` belongs to one thread. Add the sums of
the four threads of a column in shared memory, so that each block adds only once to an
element of `dgamma` and of `dbeta`. The number of additions is not graded.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_layernorm_backward_params():
    return r"""
__global__ void ln_bwd_params(const float* g, const float* xhat, float* dgamma,
                              float* dbeta, int N, int D) {
}
"""

# /// autodrill
# title = "Backward of a broadcast product as a CUDA kernel"
# kind = "kernel"
# difficulty = "hard"
# minutes = 25
# topics = ["cuda", "shapes"]
# requires = ["cuda_bias_grad", "mul_broadcast_backward"]
# ///
"""The forward pass multiplied every row of a matrix `a` by a vector `b`:
`out[i][j] = a[i][j] * b[j]`. `a` has N rows and D columns, and `b` has D elements. `g`
is dL/dout. Matrices are stored row by row. Write one kernel for both gradients. It
stores dL/da in `da`, which is not initialised, and adds dL/db to `db`, which the caller
sets to zero before the launch. Do not replace NaN in `g`. Reading each element of `g`
and `a` only once is good practice, and it is not graded.

A block has 8 threads. Along x, the grid has as many blocks as the D columns need. Along
y, the grid has 3 blocks, which divide the rows of each column among themselves.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_mul_broadcast_backward():
    return r"""
__global__ void mul_bcast_bwd(const float* g, const float* a, const float* b,
                              float* da, float* db, int N, int D) {
}
"""

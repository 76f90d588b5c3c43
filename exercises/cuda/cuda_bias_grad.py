# /// autodrill
# title = "Gradient of a bias as a CUDA kernel"
# kind = "kernel"
# difficulty = "medium"
# minutes = 15
# topics = ["cuda", "reductions", "kernels"]
# requires = ["cuda_relu_backward"]
# ///
"""The forward pass added a bias to every row of a matrix: `out[i][j] = x[i][j] + b[j]`, with N rows and D columns, stored
row by row. `g` is dL/dout, of the shape of `out`. Write the kernel that computes `db`, dL/db: the caller has set it to
zero, and passes it as it is.

Blocks have 8 threads. The grid has as many blocks in x as are needed for the D columns, and 3 in y, which share the
rows of their columns between them. Keep the kernel's name and parameters; the function returns its text.
"""


def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
}
"""

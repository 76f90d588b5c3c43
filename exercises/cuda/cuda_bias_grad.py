# /// autodrill
# title = "Gradient of a bias as a CUDA kernel"
# kind = "kernel"
# difficulty = "medium"
# minutes = 15
# topics = ["cuda", "shapes"]
# requires = ["cuda_relu_backward"]
# ///
"""The forward pass added a bias to every row of a matrix: `out[i][j] = x[i][j] + b[j]`.
The matrix has N rows and D columns and is stored row by row. `g` is dL/dout and has the
shape of `out`. Write the kernel that adds the gradient of the bias to `db`. The caller
sets `db` to zero before the launch. Do not replace NaN in `g`.

A block has 8 threads. Along x, the grid has as many blocks as the D columns need. Along
y, the grid has 3 blocks, which divide the rows of each column among themselves. Keep
the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
}
"""

# /// autodrill
# title = "Weight gradient of a matrix product, in tiles"
# kind = "kernel"
# difficulty = "hard"
# minutes = 35
# topics = ["cuda", "linalg"]
# requires = ["cuda_bias_grad", "matmul_backward"]
# ///
"""A linear layer computed `out = X W`. `X` has N rows and D columns, and `W` has D rows and
E columns. `G` is dL/dout, of N rows and E columns. Write the kernel that stores dL/dW
in `dW`, which is not initialised. All matrices are stored row by row. Do not replace
NaN in `G`. You may skip a product whose factor from `X` is 0.

A block has 8 x 8 threads and computes one 8 x 8 tile of `dW`. Along x, blocks and
threads count the columns of `dW`. Along y, they count its rows. There is one block for
each tile of `dW`. N, D and E need not be multiples of 8. A block goes through the N
rows in steps of 8. In each step, each of its 64 threads loads one element of `X` and
one element of `G` into shared memory, so that each element is read once per block and
not 8 times. Neighbouring threads along x should read neighbouring addresses. Both are
good practice, and neither is graded.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_matmul_backward_dw():
    return r"""
__global__ void matmul_dw(const float* X, const float* G, float* dW,
                          int N, int D, int E) {
}
"""

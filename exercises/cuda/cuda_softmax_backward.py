# /// autodrill
# title = "Softmax backward with one block a row"
# kind = "kernel"
# difficulty = "medium"
# minutes = 20
# topics = ["cuda", "softmax"]
# requires = ["cuda_relu_backward", "softmax_backward"]
# ///
"""The forward pass computed `p`, the softmax of each row of a matrix. `g` is dL/dp. `g`,
`p` and `dx` have N rows of D columns and are stored row by row. Write the kernel that
stores the gradient of the softmax's input in `dx`, which is not initialised. Do not
replace NaN in `g`.

There is one block for each row. A block has 8, 32 or 64 threads. D may be smaller or
larger than this number, and is rarely a multiple of it. The launch gives the block
dynamic shared memory for one float per thread:

    extern __shared__ float sums[];

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_softmax_backward():
    return r"""
__global__ void softmax_bwd(const float* g, const float* p, float* dx, int D) {
}
"""

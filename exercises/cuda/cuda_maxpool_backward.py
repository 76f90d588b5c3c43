# /// autodrill
# title = "Max pooling backward as a CUDA kernel"
# kind = "kernel"
# difficulty = "medium"
# minutes = 15
# topics = ["cuda", "conv"]
# requires = ["cuda_bias_grad", "maxpool2d_backward"]
# ///
"""Max pooling of a signal `x` took the maximum of each of M windows. Window i consists of
the elements 2i - 1, 2i and 2i + 1 that exist, so neighbouring windows overlap in one
element. The forward saved `arg`: `arg[i]` is the index in `x` of the maximum of window
i. `g` is dL/dout, of M elements. Write the kernel that adds the gradient of `x` to
`dx`, which has the length of `x`. The caller sets `dx` to zero before the launch. Do
not replace NaN in `g`.

The launch always has 2 blocks of 8 threads, however many windows there are.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_maxpool_backward():
    return r"""
__global__ void maxpool_bwd(const float* g, const int* arg, float* dx, int M) {
}
"""

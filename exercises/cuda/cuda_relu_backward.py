# /// autodrill
# title = "ReLU backward as a CUDA kernel"
# kind = "kernel"
# difficulty = "easy"
# minutes = 10
# topics = ["cuda", "activations", "kernels"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed `y = max(x, 0)` elementwise, and kept `y`. Write the kernel of its backward pass: `g` is
dL/dy, and `dx` must become dL/dx; where `y` is 0 nothing flows back, whatever `g` holds there. All three have `n`
elements, and `dx` holds garbage when the kernel begins.

The kernel is launched with 2 blocks of 16 threads, whatever `n` is: 1, 5, 61 or some hundred. Keep its name and
parameters; the function returns its text.
"""


def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
}
"""

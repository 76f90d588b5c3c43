# /// autodrill
# title = "ReLU backward as a CUDA kernel"
# kind = "kernel"
# difficulty = "easy"
# minutes = 10
# topics = ["cuda", "activations"]
# requires = ["relu_backward"]
# ///
"""The forward pass computed `y = max(x, 0)` elementwise and kept `y`. Write the kernel
of the backward pass. `g` is dL/dy, and the kernel stores dL/dx in `dx`. Where `y` is 0,
`dx` must be 0, whatever `g` holds there. Elsewhere, NaN in `g` stays NaN. All three
arrays have `n` elements. `dx` is not initialised.

The launch always has 2 blocks of 16 threads, whether `n` is 1, 5, 61 or a few hundred.
Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
}
"""

# /// autodrill
# title = "Cumulative sum backward: a scan in shared memory"
# kind = "kernel"
# difficulty = "hard"
# minutes = 25
# topics = ["cuda", "recurrent"]
# requires = ["cuda_softmax_backward"]
# ///
"""The forward pass computed the cumulative sum of `x`: `out[i] = x[0] + ... + x[i]`.
`g` is dL/dout. Write the kernel that stores dL/dx in `dx`, which is not initialised.
All arrays have `n` elements. Do not replace NaN or infinity in `g`. Such an element
must reach exactly those elements of `dx` that depend on it.

The launch has one block of 64 threads, and n is at most 64. About log2(n) additions
per thread are enough. The number of additions is not graded.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_cumsum_backward():
    return r"""
__global__ void rev_scan(const float* g, float* dx, int n) {
}
"""

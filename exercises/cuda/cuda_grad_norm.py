# /// autodrill
# title = "Squared norm of a gradient: block sums and a flag"
# kind = "kernel"
# difficulty = "hard"
# minutes = 25
# topics = ["cuda", "optim"]
# requires = ["cuda_softmax_backward"]
# ///
"""Gradient clipping needs the sum of the squares of all gradients. This sum is computed
in two steps, so that the result is the same in every run. First, a kernel stores one
partial sum per block. Then the host, or a second kernel, adds the partial sums in their
order.

Write the first kernel. `g` has `n` elements. The launch always has 3 blocks of 32
threads, so the grid has 96 threads. Thread k of the grid takes the elements k, k + 96,
k + 192 and so on. Block b stores the sum of the squares of its threads' elements in
`partial[b]`, even if the block has no element. `partial` is not initialised.
Atomics add in an arbitrary order, so do not use them for the sum. Grading does not look
for atomics.

The caller sets `nonfinite[0]` to 0 before the launch. If any element of `g` is infinite
or NaN, set `nonfinite[0]` to 1. The partial sum of the element's block must then be
infinite or NaN too. If all elements are finite, `nonfinite[0]` stays 0, even if a
partial sum overflows to infinity.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_grad_norm():
    return r"""
__global__ void sumsq(const float* g, float* partial, int* nonfinite, int n) {
}
"""

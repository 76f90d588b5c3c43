# /// autodrill
# title = "Squared norm of a gradient: block sums and a flag"
# kind = "kernel"
# difficulty = "hard"
# minutes = 25
# topics = ["cuda", "optim"]
# requires = ["cuda_softmax_backward"]
# ///
"""Gradient clipping needs the sum of the squares of all gradients. It is computed in two
steps, so that the result is the same in every run. First, a kernel stores one partial
sum per block. Then the host, or a second kernel, adds the partial sums in their order.

Write the first kernel. `g` has `n` elements. The launch always has 3 blocks of 32
threads, so the grid has 96 threads. Thread k of the grid takes the elements k, k + 96,
k + 192 and so on. Block b stores the sum of the squares of its threads' elements in
`partial[b]`, also if it has no element. `partial` is not initialised. Do not use an
atomic for the sum.

If any element of `g` is infinite or NaN, set `nonfinite[0]` to 1. The caller sets it to
0 before the launch. In that case the partial sum of the block is infinite or NaN too.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_grad_norm():
    return r"""
__global__ void sumsq(const float* g, float* partial, int* nonfinite, int n) {
}
"""

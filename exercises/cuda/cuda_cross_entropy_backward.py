# /// autodrill
# title = "Cross-entropy backward with one warp a row"
# kind = "kernel"
# difficulty = "hard"
# minutes = 25
# topics = ["cuda", "losses"]
# requires = ["cuda_rmsnorm_backward_warp", "softmax_cross_entropy_backward"]
# ///
"""The loss of a classifier is the mean cross-entropy over N rows of C logits:

    L = mean over i of (log(sum over j of exp(z[i][j])) - z[i][y[i]])

`z` is stored row by row, and `y` holds N labels from 0 to C - 1. The number `g` is the
upstream gradient of L. Write the kernel that stores dL/dz times `g` in `dz`, which is
not initialised. Logits may be as large as 1000. Do not replace NaN in `g`.

There is one block for each row, and a block has 32 threads, which are one warp. C may
be smaller or larger than 32. Combine the threads' numbers by shuffles, or in shared
memory.

Keep the kernel's name and parameters. The function returns the kernel's source text.
"""


def cuda_cross_entropy_backward():
    return r"""
__global__ void ce_bwd(float g, const float* z, const int* y, float* dz, int N, int C) {
}
"""

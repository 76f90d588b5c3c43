# /// autodrill
# title = "A fused step of AdamW as a CUDA kernel"
# kind = "kernel"
# difficulty = "medium"
# minutes = 15
# topics = ["cuda", "optim"]
# requires = ["cuda_relu_backward", "adamw_step"]
# ///
"""Write one kernel for a step of AdamW with decoupled weight decay. `p`, `m` and `v`
are the parameters and the two moments, and are updated in place. `g` is the gradient.
All four have `n` elements. For each element, the kernel computes these three lines in
order, so the last line uses the new moments:

    m = b1·m + (1 - b1)·g
    v = b2·v + (1 - b2)·g²
    p = p·(1 - lr·wd) - lr·(m/c1) / (sqrt(v/c2) + eps)

The host has computed c1 = 1 - b1^t and c2 = 1 - b2^t for step t. Reading and writing
each element only once is good practice, and it is not graded.

The launch always has 2 blocks of 16 threads. Keep the kernel's name and parameters. The
function returns the kernel's source text.
"""


def cuda_adamw():
    return r"""
__global__ void adamw(float* p, const float* g, float* m, float* v, int n, float lr,
                      float b1, float b2, float eps, float wd, float c1, float c2) {
}
"""

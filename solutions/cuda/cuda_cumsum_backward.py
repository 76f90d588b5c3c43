"""x[i] is part of out[i] and of every later output, so its gradient is a suffix sum:

    dx_i = Σ of g_j over j >= i

This is a cumulative sum from the right, including element i itself. The scan of Hillis and Steele computes all suffix
sums in log₂ n rounds. After the round with the offset o, thread t holds the sum of the 2·o elements that begin at t, or
of fewer elements near the end. In the next round it adds the number that thread t + 2·o holds, the sum of the following
2·o elements.

In a round, each thread reads a neighbour's old value and writes its own new one. With one array, a fast thread could
overwrite a value that a slow one has not yet read. With two arrays, a round reads one array and writes the other, so
one barrier at the end of the round is enough. (With one array, each round needs two barriers, one after the read and
one after the write.)

A thread beyond n stores 0 and takes part in every barrier.

Cost: n·log₂ n additions, whereas a loop needs n. But the scan takes log₂ n rounds, whereas the loop takes n steps one
after another. Global memory is read and written once. The forward keeps nothing, because the gradient does not depend
on x.

PyTorch: the node is `CumsumBackward0`, and it computes `grad.flip(dim).cumsum(dim).flip(dim)`. The cumulative sum on
CUDA is a scan too. For one long row PyTorch calls the library CUB, which reads and writes each element about once.
PyTorch lists `cumsum` of floats on CUDA among the operations that raise an error with
`torch.use_deterministic_algorithms(True)`.

Asked next:

- How do you scan more elements than a block has threads? → Let each block scan one piece of the array. Scan the sums of
  the pieces, and add to each piece the sum of all pieces after it. Alternatively, each block waits until its neighbour
  has finished a sum. This method needs only one pass over memory.
- How does a scan with n additions work? → In Blelloch's scan, a tree adds pairs on the way up and passes partial sums
  on the way down. This takes about 2 log₂ n rounds and 2n additions. Within a warp, the scan of Hillis and Steele with
  shuffles is faster.
- Why not subtract prefix sums from the total? → A NaN or an infinity in g[5] may reach only dx[0] to dx[5], which are
  the suffix sums that contain g[5]. The total contains g[5] too, so the NaN or infinity would reach every element.
  Cancellation would also cost digits.
- What is the backward of the suffix sum? → A prefix sum. The matrix of the suffix sum has ones on and above the
  diagonal. Its transpose has ones on and below the diagonal, which is the matrix of the prefix sum.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "Which outputs does x[i] reach? From which end does dx accumulate?",
    (
        "Run rounds with the offsets 1, 2, 4 and so on. In each round, a thread adds the value that is `offset` "
        "places to its right. Which values could one thread overwrite while another thread still needs them?"
    ),
    (
        "Keep two arrays. A round reads one array, writes the other, and ends with a barrier. Then the arrays change "
        "roles."
    ),
)
CASES = [
    given("x[n]", large=False),
    given("x[n]", x=[0.25 * (k % 7) - 0.5 for k in range(64)], large=False, note="as many elements as threads"),
    given(
        "x[n]",
        x=[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        g=[1.0, 2.0, 3.0, np.inf, 2.0, 1.0],
        smooth=False,
        large=False,
        note="an infinite gradient",
    ),
    given(
        "x[n]",
        x=[0.25 * (k % 7) - 0.5 for k in range(64)],
        g=[np.inf if k == 40 else 0.5 * (k % 5) for k in range(64)],
        smooth=False,
        large=False,
        note="an infinite gradient, as many elements as threads",
    ),
]
EQUIVALENT = {
    "comparison: for (int offset = 1; offset < n; offset *= 2) { -> for (int offset = 1; offset <= n...": (
        "a round whose offset is at least n adds nothing"
    ),
}


def forward(x):
    return engine.cumsum(x)


def launch():
    return 1, 64


def cuda_cumsum_backward():
    return r"""
__global__ void rev_scan(const float* g, float* dx, int n) {
    __shared__ float sums[2][64];
    int t = threadIdx.x, old = 0;
    sums[0][t] = t < n ? g[t] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        float more = t + offset < 64 ? sums[old][t + offset] : 0.0f;
        sums[1 - old][t] = sums[old][t] + more;
        old = 1 - old;
        __syncthreads();
    }
    if (t < n) dx[t] = sums[old][t];
}
"""


MISTAKES = [
    edit(
        "forward-scan",
        "the backward of a prefix sum is a prefix sum",
        "Which outputs does the last element of x reach, and which outputs does the first element reach?",
        "t + offset < 64 ? sums[old][t + offset] -> t >= offset ? sums[old][t - offset]",
    ),
    edit(
        "single-buffer",
        "all threads read before the first one writes",
        (
            "A thread reads an element that another thread overwrites in the same round. What makes the write wait "
            "for the read?"
        ),
        "sums[1 - old][t] = sums[old][t] + more;\n        old = 1 - old; -> sums[0][t] += more;",
    ),
    edit(
        "no-barrier",
        "all threads finish a round at the same time",
        "A round reads what the previous round has written. What makes a thread wait for the other threads?",
        "old = 1 - old;\n        __syncthreads(); -> old = 1 - old;",
    ),
    edit(
        "exclusive",
        "the sum begins after element i",
        "Is x[i] part of out[i]?",
        "if (t < n) dx[t] = sums[old][t]; -> if (t < n) dx[t] = sums[old][t] - g[t];",
    ),
    edit(
        "32-threads-assumed",
        "the block is a warp",
        "How many elements are there at most, and how far does the last round reach?",
        "t + offset < 64 -> t + offset < 32",
    ),
    edit(
        "too-few-rounds",
        "a round doubles the offset only while it is below n / 2",
        "With 5 elements, which offsets does the first element need to reach the last one?",
        "offset < n; -> offset * 2 < n;",
    ),
    edit(
        "no-guard",
        "n is 64",
        "n is 41. Which elements do the threads from number 41 on read and write?",
        "t < n ? g[t] : 0.0f -> g[t]",
        "if (t < n) dx -> dx",
    ),
    edit(
        "identity",
        "a sum passes its gradient on unchanged",
        "How many outputs does x[0] reach?",
        "if (t < n) dx[t] = sums[old][t]; -> if (t < n) dx[t] = g[t];",
    ),
    edit(
        "rounds-rounded-down",
        "log2(n), rounded down, is the number of rounds",
        "With 5 elements, how many rounds does the first element need to reach the last one?",
        "offset < n; -> offset * 2 <= n;",
    ),
    edit(
        "five-rounds",
        "a scan takes five rounds, as in a warp",
        "With 41 elements, which offsets does the first element need to reach the last one?",
        "offset < n; -> offset < 32;",
    ),
    edit(
        "masked-by-product",
        "a product with 0 removes a number, even an infinite one",
        "g[0] is infinite. What is infinity times 0? Which elements may depend on g[0]?",
        "offset < n; -> offset < 64;",
        "t + offset < 64 ? sums[old][t + offset] : 0.0f -> sums[old][(t + offset) % 64] * (t + offset < 64)",
    ),
    edit(
        "masked-by-product-below-n",
        "a product with 0 removes a number, even an infinite one",
        "g[0] is infinite. What is infinity times 0? Which elements may depend on g[0]?",
        "t + offset < 64 ? sums[old][t + offset] : 0.0f -> sums[old][(t + offset) % 64] * (t + offset < 64)",
    ),
]


@mistake(
    "total-minus-prefix",
    "a suffix sum is the total minus a prefix sum, also for infinite numbers",
    "g[3] is infinite. Which elements of dx depend on it? And what is infinity minus infinity?",
)
def cuda_cumsum_backward():
    return r"""
__global__ void rev_scan(const float* g, float* dx, int n) {
    __shared__ float sums[2][64];
    int t = threadIdx.x, old = 0;
    sums[0][t] = t < n ? g[t] : 0.0f;
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        sums[1 - old][t] = sums[old][t] + (t >= offset ? sums[old][t - offset] : 0.0f);
        old = 1 - old;
        __syncthreads();
    }
    if (t < n) dx[t] = sums[old][n - 1] - sums[old][t] + g[t];
}
"""

"""x[i] is part of out[i] and of every later output, so its gradient is a suffix sum:

    dx_i = Σ of g_j over j >= i

This is a cumulative sum from the right, including element i itself. A scan after Hillis and Steele computes all suffix
sums in log₂ n rounds. After the round with the offset o, thread t holds the sum of the 2·o elements from t on, as far
as they exist. In the next round it adds what thread t + 2·o holds, which are the following 2·o elements.

In a round, each thread reads a neighbour's old value and writes its own new one. With one array, a fast thread could
overwrite a value that a slow one has not yet read. With two arrays, a round reads one array and writes the other, and
one barrier at its end is enough. (With one array, two barriers would do: one after the read and one after the write.)

A thread beyond n stores 0 and takes part in every barrier.

Cost: n·log₂ n additions instead of n, but only log₂ n rounds one after another instead of n. Global memory is read and
written once. The forward keeps nothing, because the gradient does not depend on x.

PyTorch: the node is `CumsumBackward0`, and it computes `grad.flip(dim).cumsum(dim).flip(dim)`. The cumulative sum on
CUDA is a scan too. For one long row it comes from the library CUB, which reads and writes each element about once.
PyTorch lists `cumsum` of floats on CUDA among the operations that raise an error with
`torch.use_deterministic_algorithms(True)`.

Asked next:

- How do you scan more elements than a block has threads? → Scan pieces of the array in one block each, scan the sums of
  the pieces, and add to each piece the sum of the pieces after it. Alternatively, each block waits for the sum of its
  neighbour, which needs one pass over memory.
- How does a scan with n additions work? → After Blelloch: a tree adds pairs upwards, and partial sums go back down. It
  takes about 2 log₂ n rounds and 2n additions. In a warp, shuffles with Hillis and Steele's scheme are faster.
- Why not subtract prefix sums from the total? → A NaN or an infinity in g[5] may reach only dx[0] to dx[5], which are
  the suffix sums that contain g[5]. The total contains it too, so it would reach every element. Cancellation would also
  cost digits.
- What is the backward of the suffix sum? → A prefix sum. The two matrices of ones, lower and upper triangular, are
  transposes of each other.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    "Which outputs does x[i] reach? From which end does dx accumulate?",
    (
        "In rounds with the offsets 1, 2, 4 and so on, add the value `offset` places to the right. Which values may a "
        "round overwrite while others still read them?"
    ),
    "Keep two arrays. A round reads the one, writes the other, ends with a barrier, and then they change roles.",
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
        "Which outputs does the last element of x reach? Which does the first one reach?",
        "t + offset < 64 ? sums[old][t + offset] -> t >= offset ? sums[old][t - offset]",
    ),
    edit(
        "single-buffer",
        "all threads read before the first one writes",
        "A thread reads an element of another thread. When does that thread write it, and what keeps the two apart?",
        "sums[1 - old][t] = sums[old][t] + more;\n        old = 1 - old; -> sums[0][t] += more;",
    ),
    edit(
        "no-barrier",
        "all threads finish a round at the same time",
        "A round reads what the round before has written. What makes a thread wait for the others?",
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
        "n is 41. Which element do the threads from 41 on read and write?",
        "t < n ? g[t] : 0.0f -> g[t]",
        "if (t < n) dx -> dx",
    ),
    edit(
        "identity",
        "a sum passes its gradient on unchanged",
        "How many outputs does x[0] reach?",
        "if (t < n) dx[t] = sums[old][t]; -> if (t < n) dx[t] = g[t];",
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

"""Let h = g·gamma. In row i, with r = rho[i], the backward of RMSNorm is

    s    = Σ_j h_j x_j
    dx_j = r h_j - r³ x_j · s/D

Each entry of dx needs the sum s over its whole row. So a warp goes over its row twice: first to add up s, then to write
dx.

In the first pass, lane l takes the columns l, l + 32, l + 64 and so on. Neighbouring lanes read neighbouring floats, so
the warp reads 128 bytes at a time. Each lane adds its own products in a register. If D is below 32, some lanes have no
column, and their sum stays 0.

Then the 32 partial sums are combined by a butterfly. In each of five rounds a lane adds the value of the lane whose
number differs from its own in one bit: bit 4, 3, 2, 1, 0. Each round doubles the size of the groups of lanes that hold
equal sums. At the end every lane holds s. With `__shfl_down_sync` only lane 0 would hold s, and a further shuffle would
have to send it to the others.

The guard `row >= N` returns before the shuffles. This is safe, because the 32 lanes of a warp have the same row, so the
whole warp returns. A guard on the column must not enclose a shuffle: the full mask promises that all lanes take part.

Cost: the kernel reads g, x and gamma twice and writes dx once. The second reads of short rows come from the caches. So
the traffic is about 12 bytes per element, the minimum for reading g and x and writing dx. The butterfly takes 5
shuffles per row, whatever D is. A shuffle moves registers directly, without shared memory.

PyTorch: `_fused_rms_norm_backward` on CUDA gives each row a block, not a warp. Its threads add in registers, combine
the sums of a warp by shuffles, and combine the warps through shared memory with `__syncthreads`. A block per row suits
the long rows of language models. A warp per row suits short rows, because no warp waits for another one. The kernel for
gamma's gradient is a separate one.

Asked next:

- What breaks if each lane returns for itself, by `if (lane >= D) return;`? → For D below 32, only lanes below D reach
  the shuffle, although the mask names all 32. The value read from a lane that has returned is undefined, so the sum is
  too. A named lane that has not returned, but skips the shuffle, is worse: the others may wait for it forever. Let the
  lanes without a column add 0 instead.
- How would you compute dgamma? → dgamma is the sum of g·x·rho over the rows, so the sum crosses warps and blocks. Let
  each block walk over many rows, add in registers, and store one partial row. A second kernel adds the partial rows in
  a fixed order.
- How would you avoid reading g and x twice? → Keep a lane's values in registers between the passes. For D up to 1024
  these are 32 products and 32 values of x per lane. The loops need a bound known at compile time, because registers
  cannot be indexed at run time.
- g, x and dx are float16. In which type do you compute? → Load float16, compute in float32 and round once, at the
  store. In float16 a sum of products overflows above 65,504, and so does rho³ for rho above 40.3.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "Every entry of dx needs one sum over its row. Which lane holds the sum after your reduction?",
    "Each lane adds every 32nd column. Five rounds of __shfl_xor_sync give the total to all lanes. Then loop again.",
    (
        "In each round, a lane adds the value of lane ^ bits. The number `bits` is 16, 8, 4, 2 and 1 in turn. The "
        "loops over columns step by 32."
    ),
)
WRT = ("x",)
EPS = 1e-6
CASES = [
    given("x[N,D] gamma[D]", large={"N": 4, "D": 2053}),
    given("x[N,D] gamma[D]", x=normal(1e-3), large=False, note="rows of small numbers"),
    given("x[N,D] gamma[D]", x=[[0.0, 0.0, 0.0], [1.0, -2.0, 0.5]], large=False, note="a row of zeros"),
]


def forward(x, gamma):
    return engine.rms_norm(x, weight=gamma, eps=EPS)


def saved(x, gamma):
    return {"rho": 1 / np.sqrt((x * x).mean(axis=1) + np.float32(EPS))}


def launch(N):
    return (N + 1) // 2, 64


def cuda_rmsnorm_backward_warp():
    return r"""
__global__ void rmsnorm_bwd(const float* g, const float* x, const float* gamma,
                            const float* rho, float* dx, int N, int D) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 2 + threadIdx.x / 32;
    if (row >= N) return;
    g += row * D, x += row * D, dx += row * D;
    float s = 0.0f, r = rho[row];
    for (int j = lane; j < D; j += 32) s += g[j] * gamma[j] * x[j];
    for (int bits = 16; bits > 0; bits /= 2)
        s += __shfl_xor_sync(0xffffffffu, s, bits);
    float c = r * r * r * s / D;
    for (int j = lane; j < D; j += 32) dx[j] = r * g[j] * gamma[j] - c * x[j];
}
"""


MISTAKES = [
    edit(
        "sum-in-lane-0",
        "after shuffling down, every lane holds the sum",
        "In `__shfl_down_sync`, lane 31 has no lane above it. What does lane 31 hold after the five rounds?",
        "__shfl_xor_sync -> __shfl_down_sync",
    ),
    edit(
        "no-shuffle",
        "a lane's own sum is the sum of the row",
        "How many columns does one lane read if D is 45? Where are the products of the other columns?",
        "s += __shfl_xor_sync(0xffffffffu, s, bits); -> s += 0.0f;",
    ),
    edit(
        "no-row-guard",
        "the rows fill the last block",
        "N is 5, and a block takes two rows. Which row does the last warp read?",
        "if (row >= N) return; ->",
    ),
    edit(
        "gamma-on-first-term",
        "gamma does not enter the sum over the row",
        "The sum contains the gradient of the normalised row. Is this gradient g, or g times gamma?",
        "s += g[j] * gamma[j] * x[j]; -> s += g[j] * x[j];",
    ),
    edit(
        "gamma-outside",
        "the multiplication by gamma can wait until the end",
        "gamma[j] differs from column to column. Can it be taken out of the sum over j?",
        "s += g[j] * gamma[j] * x[j]; -> s += g[j] * x[j];",
        "dx[j] = r * g[j] * gamma[j] - c * x[j]; -> dx[j] = (r * g[j] - c * x[j]) * gamma[j];",
    ),
    edit(
        "mean-over-warp",
        "the mean runs over the lanes",
        "Over how many numbers does the mean of the squares run: 32 or D?",
        "s / D -> s / 32",
    ),
    edit(
        "rms-constant",
        "the root mean square is a constant",
        "If you double a row, does the output move? Is your dx orthogonal to x?",
        "- c * x[j]; -> ;",
    ),
    edit(
        "rho-squared",
        "the term with the sum contains rho twice",
        "If x doubles, rho halves and out stays the same. What happens to each of the two terms of dx?",
        "r * r * r * s -> r * r * s",
    ),
    edit(
        "rho-once",
        "the term with the sum contains rho once",
        "If x doubles, rho halves and out stays the same. What happens to each of the two terms of dx?",
        "r * r * r * s -> r * s",
    ),
    edit(
        "gamma-on-both-terms",
        "gamma[j] multiplies both terms of dx[j]",
        "gamma is already in the sum. Does x[j] reach rho through gamma[j]?",
        "- c * x[j]; -> - c * gamma[j] * x[j];",
    ),
    edit(
        "mean-subtracted",
        "the mean of a row is subtracted, as in layer norm",
        "Does the forward of RMSNorm change if all entries of a row rise by 1?",
        "float s = 0.0f, r -> float s = 0.0f, q = 0.0f, r",
        "s += g[j] * gamma[j] * x[j]; -> s += g[j] * gamma[j] * x[j], q += g[j] * gamma[j];",
        "        s += __shfl_xor_sync(0xffffffffu, s, bits); "
        "->         s += __shfl_xor_sync(0xffffffffu, s, bits), q += __shfl_xor_sync(0xffffffffu, q, bits);",
        "- c * x[j]; -> - c * x[j] - r * q / D;",
    ),
    edit(
        "sum-not-mean",
        "rho contains the sum of the squares, not their mean",
        "rho contains a mean over D columns. Where does D enter dx?",
        "s / D -> s",
    ),
    edit(
        "no-gamma",
        "gamma has no part in dx",
        "What is the gradient of the normalised row: g, or g times gamma?",
        "s += g[j] * gamma[j] * x[j]; -> s += g[j] * x[j];",
        "r * g[j] * gamma[j] -> r * g[j]",
    ),
    edit(
        "plus",
        "the term for the path through rho is added",
        "If the numbers of a row grow, does rho rise or fall? Is your dx orthogonal to x?",
        "- c * x[j]; -> + c * x[j];",
    ),
    edit(
        "eps-ignored",
        "rho² times the sum of the squares of a row is D",
        "rho also contains 1e-6. By which number do you divide if a row holds only zeros?",
        "float s = 0.0f, r -> float s = 0.0f, q = 0.0f, r",
        "s += g[j] * gamma[j] * x[j]; -> s += g[j] * gamma[j] * x[j], q += x[j] * x[j];",
        "s, bits); -> s, bits), q += __shfl_xor_sync(0xffffffffu, q, bits);",
        "float c = r * r * r * s / D; -> float c = r * s / q;",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "D is 45. Which lane takes column 40, and in which round?",
        "for (int j = lane; j < D; j += 32) s -> for (int j = lane; j < D / 32 * 32; j += 32) s",
        "for (int j = lane; j < D; j += 32) dx -> for (int j = lane; j < D / 32 * 32; j += 32) dx",
    ),
]


@mistake(
    "one-column-a-lane",
    "a row has at most as many columns as a warp has lanes",
    "D is 45 and a warp has 32 lanes. Which lane writes column 40?",
)
def cuda_rmsnorm_backward_warp():
    return r"""
__global__ void rmsnorm_bwd(const float* g, const float* x, const float* gamma,
                            const float* rho, float* dx, int N, int D) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 2 + threadIdx.x / 32;
    if (row >= N) return;
    int at = row * D + lane;
    float s = lane < D ? g[at] * gamma[lane] * x[at] : 0.0f;
    for (int bits = 16; bits > 0; bits /= 2) s += __shfl_xor_sync(0xffffffffu, s, bits);
    float r = rho[row];
    if (lane < D) dx[at] = r * g[at] * gamma[lane] - r * r * r * s / D * x[at];
}
"""


@mistake(
    "shuffle-in-guard",
    "lanes without a column can skip the shuffles",
    "The mask names 32 lanes. Which of them reach the shuffle if D is 5?",
)
def cuda_rmsnorm_backward_warp():
    return r"""
__global__ void rmsnorm_bwd(const float* g, const float* x, const float* gamma,
                            const float* rho, float* dx, int N, int D) {
    int lane = threadIdx.x % 32, row = blockIdx.x * 2 + threadIdx.x / 32;
    if (row >= N || lane >= D) return;
    float s = 0.0f, r = rho[row];
    for (int j = lane; j < D; j += 32) s += g[row * D + j] * gamma[j] * x[row * D + j];
    for (int bits = 16; bits > 0; bits /= 2) s += __shfl_xor_sync(0xffffffffu, s, bits);
    for (int j = lane; j < D; j += 32)
        dx[row * D + j] = r * g[row * D + j] * gamma[j] - r * r * r * s / D * x[row * D + j];
}
"""


@mistake(
    "one-row-a-block",
    "a block takes one row",
    "Both warps of a block have the same blockIdx.x. Which row does the second warp take?",
)
def cuda_rmsnorm_backward_warp():
    return r"""
__global__ void rmsnorm_bwd(const float* g, const float* x, const float* gamma,
                            const float* rho, float* dx, int N, int D) {
    int lane = threadIdx.x % 32, row = blockIdx.x;
    if (row >= N || threadIdx.x >= 32) return;
    float s = 0.0f, r = rho[row];
    for (int j = lane; j < D; j += 32) s += g[row * D + j] * gamma[j] * x[row * D + j];
    for (int bits = 16; bits > 0; bits /= 2) s += __shfl_xor_sync(0xffffffffu, s, bits);
    for (int j = lane; j < D; j += 32)
        dx[row * D + j] = r * g[row * D + j] * gamma[j] - r * r * r * s / D * x[row * D + j];
}
"""

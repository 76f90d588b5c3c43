"""Let h = g·gamma, the gradient of x̂. With the means over a row, the backward of layer norm is

    m1 = mean(h)        m2 = mean(h x̂)        dx_j = rstd (h_j - m1 - x̂_j m2)

So a row needs two sums, and one pass over the row yields both. The sums are combined in two steps.

Within a warp, a butterfly of five shuffles adds the 32 registers. In each round a lane adds the value of the lane whose
number differs from its own in one bit: bit 4, 3, 2, 1, 0. Each round doubles the size of the groups of lanes that hold
equal sums. All 32 lanes take part, because no lane has returned: a lane without a column adds 0.

Shuffles cannot move registers from one warp to another. So lane 0 of each warp stores its two sums in shared memory.
After one barrier every thread reads the sums of both warps and adds them itself. No second barrier is needed, because
nothing writes to shared memory afterwards.

The mean divides by D, not by the number of threads.

Cost: the kernel reads g, x̂ and gamma twice and writes dx once. The second reads of a short row hit the cache, so the
traffic to memory is about 12 bytes per element: two reads and a write. There is one barrier, and there are 10 shuffles
per warp, whatever D is.

PyTorch: the node `NativeLayerNormBackward0` keeps the input, the mean and rstd, and recomputes x̂. On CUDA, one kernel
computes the input's gradient with one block per row. It sums as here, by shuffles within a warp and through shared
memory between warps. The gradients of gamma and beta come from a second kernel, because their sums run over the rows.

Asked next:

- Why is one pass enough for both sums? → Neither sum depends on the other one, because x̂ and rstd were saved. The
  forward is different: the variance needs either the mean first, or Welford's method, which updates the mean and the
  variance together.
- How many warps can this scheme combine? → A block has at most 1024 threads, so at most 32 warps. Their 32 sums fit
  into one more butterfly of one warp. With 2 warps it is quicker if every thread adds the two sums itself.
- Why is the kernel limited by memory and not by arithmetic? → An element takes about ten operations for 12 bytes. An
  H100 (67 TFLOP/s in float32 without tensor cores, 3.35 TB/s) does 20 operations in the time of one byte, so 240 in the
  time of 12.
- What changes if x is saved instead of x̂? → The mean is needed too, and x̂ = (x - mean)·rstd costs two operations in
  each pass. x takes as many bytes as x̂, and another node often keeps x anyway.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "dx needs two means over its row. Which two vectors are averaged? Can one pass over the row collect both sums?",
    "Shuffles combine the 32 lanes of a warp. Where must one warp store its sums, so that another warp can read them?",
    "Lane 0 of each warp stores two sums. After a barrier, all threads add the sums of both warps and divide by D.",
)
WRT = ("x",)
EQUIVALENT = {
    "constant: if (t % 32 == 0) part1[t / 32] = s1, part2[t / 32] = s2; -> if (t % 32 == 1)...": (
        "after the butterfly every lane of a warp holds its sums, so any lane may store them"
    ),
    "comparison: if (t % 32 == 0) part1[t / 32] = s1, part2[t / 32] = s2; -> if (t % 32 != 0)...": (
        "the other lanes of a warp store the same sums"
    ),
}
CASES = [
    given("x[N,D] gamma[D]", large={"N": 4, "D": 2053}),
    given("x[3,150] gamma[150]", note="long rows"),
    given("x[N,D] gamma[D]", x=normal(1e-3), large=False, note="rows of small numbers"),
]


def forward(x, gamma):
    return engine.layer_norm(x, weight=gamma, eps=1e-5)


def saved(x, gamma):
    x = np.asarray(x, np.float64)
    rstd = 1 / np.sqrt(x.var(axis=1) + 1e-5)
    xhat = (x - x.mean(axis=1, keepdims=True)) * rstd[:, None]
    return {"rstd": rstd, "xhat": xhat, "D": x.shape[1]}


def launch(rstd):
    return len(rstd), 64


def cuda_layernorm_backward_dx():
    return r"""
__global__ void ln_bwd_dx(const float* g, const float* xhat, const float* rstd,
                          const float* gamma, float* dx, int D) {
    __shared__ float part1[2], part2[2];
    int t = threadIdx.x, row = blockIdx.x * D;
    float s1 = 0.0f, s2 = 0.0f;
    for (int j = t; j < D; j += 64) {
        float h = g[row + j] * gamma[j];
        s1 += h;
        s2 += h * xhat[row + j];
    }
    for (int bits = 16; bits >= 1; bits /= 2) {
        s1 += __shfl_xor_sync(0xffffffffu, s1, bits);
        s2 += __shfl_xor_sync(0xffffffffu, s2, bits);
    }
    if (t % 32 == 0) part1[t / 32] = s1, part2[t / 32] = s2;
    __syncthreads();
    float m1 = (part1[0] + part1[1]) / D, m2 = (part2[0] + part2[1]) / D;
    for (int j = t; j < D; j += 64) {
        float h = g[row + j] * gamma[j];
        dx[row + j] = rstd[blockIdx.x] * (h - m1 - xhat[row + j] * m2);
    }
}
"""


MISTAKES = [
    edit(
        "no-gamma-in-second-sum",
        "gamma enters the first sum, but not the sum with xhat",
        "Both sums contain the gradient of x̂. What is the gradient of x̂?",
        "s2 += h * xhat[row + j]; -> s2 += g[row + j] * xhat[row + j];",
    ),
    edit(
        "no-gamma-in-first-sum",
        "gamma enters the sum with xhat, but not the first sum",
        "Both sums contain the gradient of x̂. What is the gradient of x̂?",
        "s1 += h; -> s1 += g[row + j];",
    ),
    edit(
        "no-gamma-in-sums",
        "gamma enters the first term of dx, but not the two sums",
        "Both sums contain the gradient of x̂. What is the gradient of x̂?",
        "s1 += h; -> s1 += g[row + j];",
        "s2 += h * xhat[row + j]; -> s2 += g[row + j] * xhat[row + j];",
    ),
    edit(
        "missing-barrier",
        "both warps have stored their sums when the first thread reads them",
        "Nothing makes one warp wait for the other. What separates the stores to shared memory from the reads?",
        "__syncthreads(); ->",
    ),
    edit(
        "blockdim-mean",
        "a mean over the row divides by the number of threads",
        "Over how many numbers does each mean run: 64 or D?",
        "(part1[0] + part1[1]) / D -> (part1[0] + part1[1]) / 64",
        "(part2[0] + part2[1]) / D -> (part2[0] + part2[1]) / 64",
    ),
    edit(
        "one-warp",
        "shuffles reach all threads of the block",
        "A shuffle reads a lane of the same warp. Which columns does the sum of one warp leave out?",
        "(part1[0] + part1[1]) -> part1[t / 32]",
        "(part2[0] + part2[1]) -> part2[t / 32]",
    ),
    edit(
        "down-and-no-broadcast",
        "any lane holds the sum of its warp after shuffling down",
        (
            "After five rounds of `__shfl_down_sync`, which lane holds the sum of the warp? Which lane stores a sum "
            "in your kernel?"
        ),
        "s1 += __shfl_xor_sync(0xffffffffu, s1, bits); -> s1 += __shfl_down_sync(0xffffffffu, s1, bits);",
        "s2 += __shfl_xor_sync(0xffffffffu, s2, bits); -> s2 += __shfl_down_sync(0xffffffffu, s2, bits);",
        "t % 32 == 0 -> t % 32 == 31",
    ),
    edit(
        "mean-is-constant",
        "the mean of the row is a constant",
        "If all entries of a row rise by 1, does out change? So what is the sum of dx over a row?",
        "h - m1 - xhat -> h - xhat",
    ),
    edit(
        "variance-is-constant",
        "the variance of the row is a constant",
        "If you double a row, does out change? So what is the sum of dx·x̂ over a row?",
        "h - m1 - xhat[row + j] * m2 -> h - m1",
    ),
    edit(
        "no-bounds-check",
        "D is a multiple of 64",
        "With 41 columns, what do the threads from 41 on read?",
        "for (int j = t; j < D; j += 64) {\n        float h = g[row + j] * gamma[j];\n        s1 "
        "-> for (int j = t; j < (D + 63) / 64 * 64; j += 64) {\n        float h = g[row + j] * gamma[j];\n        s1",
    ),
    edit(
        "gamma-outside",
        "the multiplication by gamma can wait until the end",
        "gamma[j] differs from column to column. Can it be taken out of the sums over j?",
        "float h = g[row + j] * gamma[j];\n        s1 -> float h = g[row + j];\n        s1",
        "float h = g[row + j] * gamma[j];\n        dx -> float h = g[row + j];\n        dx",
        "rstd[blockIdx.x] * (h -> gamma[j] * rstd[blockIdx.x] * (h",
    ),
    edit(
        "no-rstd",
        "x̂ moves as fast as x",
        "With the mean and rstd held fixed, by how much does x̂[i][j] rise if x[i][j] rises by 1?",
        "rstd[blockIdx.x] * (h -> (h",
    ),
    edit(
        "no-gamma",
        "gamma has no part in dx",
        "What is the gradient of x̂: g, or g times gamma?",
        "float h = g[row + j] * gamma[j];\n        s1 -> float h = g[row + j];\n        s1",
        "float h = g[row + j] * gamma[j];\n        dx -> float h = g[row + j];\n        dx",
    ),
    edit(
        "sums-not-means",
        "the two sums need no division",
        "The mean of a row divides by D. Where does D enter dx?",
        "(part1[0] + part1[1]) / D -> (part1[0] + part1[1])",
        "(part2[0] + part2[1]) / D -> (part2[0] + part2[1])",
    ),
    edit(
        "second-mean-without-xhat",
        "both means are subtracted without a further factor",
        "If the variance rises, is the change of x̂[j] the same for all j, or proportional to x̂[j]?",
        "xhat[row + j] * m2 -> m2",
    ),
    edit(
        "plus-second-mean",
        "the term for the path through the variance is added",
        "If a row moves away from its mean, does rstd rise or fall? What must the sum of dx·x̂ over a row be?",
        "- xhat[row + j] * m2 -> + xhat[row + j] * m2",
    ),
    edit(
        "eps-ignored",
        "the squares of a row of xhat add up to D",
        "rstd also contains 1e-5. What do the squares of xhat add up to if a row of x varies by 1e-3?",
        "part1[2], part2[2]; -> part1[2], part2[2], part3[2];",
        "float s1 = 0.0f, s2 = 0.0f; -> float s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;",
        "s2 += h * xhat[row + j]; -> s2 += h * xhat[row + j];\n        s3 += xhat[row + j] * xhat[row + j];",
        "s2, bits); -> s2, bits);\n        s3 += __shfl_xor_sync(0xffffffffu, s3, bits);",
        "part2[t / 32] = s2; -> part2[t / 32] = s2, part3[t / 32] = s3;",
        "m2 = (part2[0] + part2[1]) / D -> m2 = (part2[0] + part2[1]) / (part3[0] + part3[1])",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "D is 150 and a block has 64 threads. Which thread takes column 140, and in which round?",
        "s1 += h; -> if (j >= D / 64 * 64) break;\n        s1 += h;",
        "dx[row + j] = -> if (j < D / 64 * 64) dx[row + j] =",
    ),
]


@mistake(
    "one-column-a-thread",
    "a row has at most 64 columns",
    "Which thread takes column 64 of a row of 150? What must a thread do after its first column?",
)
def cuda_layernorm_backward_dx():
    return r"""
__global__ void ln_bwd_dx(const float* g, const float* xhat, const float* rstd,
                          const float* gamma, float* dx, int D) {
    __shared__ float part1[2], part2[2];
    int j = threadIdx.x, at = blockIdx.x * D + j;
    float h = j < D ? g[at] * gamma[j] : 0.0f, s1 = h, s2 = j < D ? h * xhat[at] : 0.0f;
    for (int bits = 16; bits > 0; bits /= 2) {
        s1 += __shfl_xor_sync(0xffffffffu, s1, bits);
        s2 += __shfl_xor_sync(0xffffffffu, s2, bits);
    }
    if (j % 32 == 0) part1[j / 32] = s1, part2[j / 32] = s2;
    __syncthreads();
    float m1 = (part1[0] + part1[1]) / D, m2 = (part2[0] + part2[1]) / D;
    if (j < D) dx[at] = rstd[blockIdx.x] * (h - m1 - xhat[at] * m2);
}
"""

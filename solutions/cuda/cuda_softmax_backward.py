"""Softmax couples the columns of a row through one number, s = Σ_j g_j p_j:

    dx_j = p_j (g_j - s)

So the block needs a sum over its row, and every thread needs the result. The kernel has three phases.

First, each thread takes every blockDim.x-th column and adds its products in a register. At each step neighbouring
threads read neighbouring floats. A thread without a column keeps the sum 0.

Second, the threads put their sums into shared memory, and a tree adds them. At each level the lower half of the
remaining threads adds the values of the upper half, until sums[0] holds s. A barrier after the stores separates them
from the first reads. A barrier after each level separates it from the next one. The barrier is outside the `if`,
because all threads of the block must reach it.

Third, each thread visits its columns again and writes dx.

Cost: g and p are read twice and dx is written once. The row was read a moment ago, so the second reads usually come
from a cache, and the traffic to memory is about 12 bytes per element. The tree takes log₂(blockDim.x) levels with a
barrier each. Only p is saved for backward.

PyTorch: on CUDA, a softmax over the last, contiguous axis of at most 1024 elements keeps its row in the registers of
one warp, and sums by shuffles, without a barrier. Longer rows get a block each. Then each warp sums by shuffles, and
the warps' sums meet in shared memory.

Asked next:

- Why not sum by `atomicAdd` into one shared float? → All threads of the block would add to one address, and the
  hardware performs these additions one after another. The tree takes 5 levels for 32 threads instead of 32 turns. The
  order of its additions is also fixed, so the result is the same in every run.
- Which barriers are unnecessary if the block is one warp? → Since Volta, the threads of a warp need not run in step, so
  shared memory still needs `__syncwarp()` between a write and another lane's read. Shuffles synchronise the lanes of
  their mask and need neither shared memory nor a barrier.
- How would you save the last levels of the tree? → When 32 values remain, the first warp reads them and continues with
  shuffles. This saves five barriers of the block.
- Does `if (t < half) sums[t] += sums[t + half]` have bank conflicts? → No. Neighbouring threads read neighbouring
  floats, which are in different banks. The variant with `sums[2 * k * t]` has bank conflicts. At a stride of 2, two
  threads share a bank, and at a stride of 4, four threads share one.
"""

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    (
        "Every entry of dx needs one sum over its row. Which threads hold the parts of this sum, and which threads "
        "need the total?"
    ),
    (
        "Add products in a register, store one sum per thread, and halve the number of sums level by level. Which "
        "steps read what another thread wrote?"
    ),
    "Put a barrier after the store, and another one at the end of each level, outside the `if`. Then loop again.",
)
EQUIVALENT = {
    "axis: int t = threadIdx.x, threads = blockDim.x, row = blockIdx.x * D; -> int t = threadIdx.x, "
    "threads = blockDim.y...": (
        "thread 0 adds the whole row, and several threads store the same dx, which is only slower"
    )
}
CASES = [
    given("x[N,D]", large={"N": 2, "D": 4099}),
    given("x[3,8]", note="as many columns as threads"),
    given("x[2,5]", x=[[0.0, -300.0, 1.0, -0.5, 2.0], [-300.0, 0.0, 0.5, 1.0, -1.0]], large=False, note="p = 0"),
]


def forward(x):
    return engine.softmax(x, axis=1)


def saved(x):
    return {"p": engine.softmax(x, axis=1), "D": x.shape[1]}


def launch(g, D):
    block = 8 if D <= 8 else 32 if D <= 50 else 64
    return len(g), block, 4 * block


def cuda_softmax_backward():
    return r"""
__global__ void softmax_bwd(const float* g, const float* p, float* dx, int D) {
    extern __shared__ float sums[];
    int t = threadIdx.x, threads = blockDim.x, row = blockIdx.x * D;
    float sum = 0.0f;
    for (int j = t; j < D; j += threads) sum += g[row + j] * p[row + j];
    sums[t] = sum;
    __syncthreads();
    for (int half = threads / 2; half >= 1; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    for (int j = t; j < D; j += threads)
        dx[row + j] = p[row + j] * (g[row + j] - sums[0]);
}
"""


MISTAKES = [
    edit(
        "no-sync-before-reduce",
        "all threads have stored their sums when the first thread reads one",
        "Which barrier separates the first store to shared memory from the first read by another thread?",
        "sums[t] = sum;\n    __syncthreads(); -> sums[t] = sum;",
    ),
    edit(
        "no-sync-in-loop",
        "all threads have finished a step when the next step begins",
        (
            "Some threads read what other threads have written to shared memory. What makes a thread wait for the "
            "other threads?"
        ),
        "sums[t + half];\n        __syncthreads(); -> sums[t + half];",
    ),
    edit(
        "barrier-in-branch",
        "only the threads that add must wait",
        "How many threads of the block reach a barrier inside `if (t < half)`?",
        "if (t < half) sums[t] += sums[t + half];\n        __syncthreads(); "
        "-> if (t < half) {\n            sums[t] += sums[t + half];\n            __syncthreads();\n        }",
    ),
    edit(
        "no-subtract",
        "the Jacobian of softmax is diagonal",
        "All probabilities of a row share a denominator. Does raising one logit change the other probabilities?",
        "(g[row + j] - sums[0]) -> g[row + j]",
    ),
    edit(
        "sum-of-g",
        "the sum over the row is a sum of g",
        (
            "The chain rule gives the sum over i of g_i ∂p_i/∂x_j. Which factor does ∂p_i/∂x_j have for i ≠ j, "
            "besides p_j?"
        ),
        "sum += g[row + j] * p[row + j]; -> sum += g[row + j];",
    ),
    edit(
        "own-sum-only",
        "after the reduction, every element of the array holds the total",
        "After the last level, which element of the shared array holds the sum of the whole row?",
        "- sums[0]) -> - sums[t])",
    ),
    edit(
        "32-threads-assumed",
        "a block has 32 threads",
        "The launch chooses 8, 32 or 64 threads. Which numbers in your kernel hold for 32 only?",
        "threads = blockDim.x -> threads = 32",
    ),
    edit(
        "no-bounds-check",
        "D is a multiple of the block's size",
        "With 5 columns and 8 threads, which threads have no column?",
        "for (int j = t; j < D; j += threads)\n        dx "
        "-> for (int j = t; j < (D + threads - 1) / threads * threads; j += threads)\n        dx",
    ),
    edit(
        "sigmoid-like-softmax",
        "the slope of softmax is p(1 - p), as for sigmoid",
        "If one logit rises, the other probabilities fall. Where does your kernel use the g of the other columns?",
        "p[row + j] * (g[row + j] - sums[0]) -> g[row + j] * p[row + j] * (1.0f - p[row + j])",
    ),
    edit(
        "tree-of-32",
        "the tree adds 32 numbers",
        "The launch chooses 8, 32 or 64 threads. How many sums does the first level of your tree combine "
        "with 64 threads?",
        "half = threads / 2 -> half = 16",
        "if (t < half) -> if (t < half && t + half < threads)",
    ),
    edit(
        "mean-not-sum",
        "the number to subtract is a mean over the row",
        "The chain rule gives a sum over the row. Does anything in softmax divide by D?",
        "- sums[0]) -> - sums[0] / D)",
    ),
    edit(
        "sum-without-p",
        "p[j] multiplies g[j], but not the sum",
        "The derivative of p_i with respect to x_j is -p_i·p_j for i ≠ j. Which factor can be taken out of "
        "the sum over i?",
        "p[row + j] * (g[row + j] - sums[0]) -> p[row + j] * g[row + j] - sums[0]",
    ),
    edit(
        "plus",
        "the sum is added, not subtracted",
        "If all g of a row are equal, what must dx be? (The probabilities sum to 1.)",
        "- sums[0]) -> + sums[0])",
    ),
    edit(
        "zero-not-stored",
        "dx is 0 where the kernel stores nothing",
        "What does dx hold before the launch? What must the kernel do where p is 0?",
        "for (int j = t; j < D; j += threads)\n        dx "
        "-> for (int j = t; j < D; j += threads)\n        if (p[row + j] > 0.0f) dx",
    ),
    edit(
        "return-before-barrier",
        "a thread without a column has nothing to do",
        "With 5 columns and 8 threads, how many threads reach the first barrier? Who adds the other sums?",
        "float sum = 0.0f; -> if (t >= D) return;\n    float sum = 0.0f;",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "D is 41 and a block has 32 threads. Which thread takes column 40, and in which round?",
        "sum += g -> if (j < D / threads * threads) sum += g",
        "dx[row + j] = -> if (j < D / threads * threads) dx[row + j] =",
    ),
]


@mistake(
    "one-column-a-thread",
    "a row has at most as many columns as the block has threads",
    "With 41 columns and 32 threads, which thread adds the product of column 40?",
)
def cuda_softmax_backward():
    return r"""
__global__ void softmax_bwd(const float* g, const float* p, float* dx, int D) {
    extern __shared__ float sums[];
    int t = threadIdx.x, at = blockIdx.x * D + t;
    sums[t] = t < D ? g[at] * p[at] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t < D) dx[at] = p[at] * (g[at] - sums[0]);
}
"""

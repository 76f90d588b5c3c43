"""Each thread adds the squares of its elements in a register, the block adds the registers of its threads, and one
thread stores the block's sum. No step depends on the order in which threads or blocks run, so the partial sums are the
same, bit for bit, in every run.

The strides of the whole grid make any n work with 96 threads. A thread without an element keeps the sum 0, and still
takes part in the reduction.

In shared memory, a tree halves the number of sums level by level. One barrier separates the stores from the first
level, and one barrier ends each level. After the last level only element 0 holds the sum of the block. So one thread
stores it.

The flag is different. Every thread that finds a bad value stores the same 1, so the order does not matter. Kernels
often use a plain store, `nonfinite[0] = 1`, and the simulated device accepts it. CUDA's memory model still calls two
plain stores to one address by different threads a race. `atomicOr` sets the flag without a race.

Cost: 4 bytes and one multiply-add per element, so memory bandwidth is the limit. The three partial sums and the flag
are negligible. The square of a float32 above 1.8e19 overflows. The partial sum is then infinite, although the flag is
0.

PyTorch: `torch.nn.utils.clip_grad_norm_` calls `torch._foreach_norm`, which computes the norms of many tensors in few
launches. Each block sums the squares of one chunk of a tensor, and a second kernel adds the sums of each tensor's
chunks. Then the norm of these norms is taken. All of this stays on the device. With `error_if_nonfinite=True`, the host
waits for the result. The scaler of mixed precision finds infinities in the pass that divides the gradients by the
scale.

Asked next:

- Why not add each block's sum to one number with `atomicAdd`? → The order of the additions would vary, and so would the
  last bits of the norm. With clipping, these bits reach every parameter.
- Is float32 enough for the sum over a billion elements? → A single running sum stops growing once its addends are less
  than half a unit in its last place. Here each thread adds few elements, and the tree adds numbers of similar size. So
  the error stays small. The partial sums are best added in float64.
- How do you keep the host from waiting for the norm? → Compute the clipping factor min(1, c/(norm + eps)) on the
  device, and let the next kernel multiply by this factor. The host never reads the factor.
- The gradients are sharded over 8 ranks. What changes? → Each rank adds its squares, and one all-reduce adds the eight
  sums before the root is taken. Adding the norms instead of the squares would be wrong.
"""

import numpy as np

from autodrill.drills import edit, given

HINTS = (
    (
        "Numbers are added within a thread, within a block and on the host. In which of these three steps may the "
        "result depend on the order in which threads run?"
    ),
    "Sum squares in a register, reduce in shared memory with a barrier per level, and let one thread store the result.",
    "Loop from the thread's number in the grid in steps of 96. Flag a bad value by atomicOr. Thread 0 stores sums[0].",
)
RESULTS = ("partial", "nonfinite")
EQUIVALENT = {
    "constant: if (t == 0) partial[blockIdx.x] = sums[0]; -> if (t == 1)...": (
        "after the last barrier any thread may store the sum"
    ),
    "comparison: if (t == 0) partial[blockIdx.x] = sums[0]; -> if (t != 0) partial[blockIdx.x] = sums[0];": (
        "the other 31 threads store the same sum"
    ),
}
CASES = [
    given("g[n]", large={"n": 1009}),
    given("g[n]", g=[1.0, 2.0, np.inf, -3.0, 0.5], note="an infinite element"),
    given("g[n]", g=[1.0, np.inf, 2.0, -np.inf, np.nan], note="several bad elements"),
    given("g[n]", g=[1.0, 2.0, -1.0] * 40 + [np.nan], note="NaN in the second block"),
    given("g[n]", g=[3e9, -2e9, 1e9], note="large elements"),
    given("g[n]", g=[3e19, 1.0, -2e19], note="squares above the largest float32"),
]


def saved(g):
    return {"nonfinite": np.zeros(1, np.int32)}


def expected(g):
    blocks = np.resize(np.repeat(np.arange(3), 32), len(g))
    partial = np.array([np.square(g[blocks == b]).sum() for b in range(3)])
    partial = np.where(partial > np.finfo(np.float32).max, np.inf, partial)
    return partial, np.array([not np.isfinite(g).all()], np.int32)


def launch():
    return 3, 32


def cuda_grad_norm():
    return r"""
__global__ void sumsq(const float* g, float* partial, int* nonfinite, int n) {
    __shared__ float sums[32];
    int t = threadIdx.x, stride = gridDim.x * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += stride) {
        if (!isfinite(g[i])) atomicOr(nonfinite, 1);
        sum += g[i] * g[i];
    }
    sums[t] = sum;
    __syncthreads();
    for (int half = 16; half >= 1; half /= 2) {
        if (t < half) sums[t] += sums[t + half];
        __syncthreads();
    }
    if (t == 0) partial[blockIdx.x] = sums[0];
}
"""


MISTAKES = [
    edit(
        "no-barrier",
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
        "sum-not-squares",
        "the norm adds the elements",
        "What does a sum of positive and negative elements say about the length of the vector?",
        "sum += g[i] * g[i]; -> sum += g[i];",
    ),
    edit(
        "all-threads-write",
        "every element of the array holds the total after the reduction",
        "Which element of shared memory holds the sum of the block, and how many threads must store it?",
        "if (t == 0) partial[blockIdx.x] = sums[0]; -> partial[blockIdx.x] = sums[t];",
    ),
    edit(
        "not-flagged",
        "an infinite partial sum is enough as a flag",
        "What does nonfinite[0] hold after a launch with an infinite element?",
        "if (!isfinite(g[i])) atomicOr(nonfinite, 1); -> ;",
    ),
    edit(
        "infinity-only",
        "only infinity is not finite",
        "Is isinf true for NaN?",
        "!isfinite(g[i]) -> isinf(g[i])",
    ),
    edit(
        "flag-race",
        "threads may read and write one address without an atomic",
        "Does your code read the flag before it writes it? Which operation reads and writes in one step?",
        "atomicOr(nonfinite, 1); -> nonfinite[0] |= 1;",
    ),
    edit(
        "no-bounds-check",
        "n is a multiple of the number of threads",
        "With 61 elements and 96 threads, which threads have no element?",
        "i < n; i += stride -> i < (n + stride - 1) / stride * stride; i += stride",
    ),
    edit(
        "one-element-per-thread",
        "there are always as many threads as elements",
        "The grid has 96 threads. Which thread squares element 96?",
        "i < n; i += stride -> i < n; i += n",
    ),
    edit(
        "overwrites",
        "all blocks can store their sums in the same element",
        "Each of the three blocks has one partial sum. In which element of `partial` must block b store its sum?",
        "partial[blockIdx.x] = sums[0] -> partial[0] = sums[0]",
    ),
    edit(
        "root-of-each-block",
        "norms can be added",
        "Is the norm of a vector the sum of the norms of its parts? When is the root taken?",
        "partial[blockIdx.x] = sums[0] -> partial[blockIdx.x] = sqrtf(sums[0])",
    ),
    edit(
        "nan-only",
        "only NaN is not finite",
        "Is isnan true for infinity?",
        "!isfinite(g[i]) -> isnan(g[i])",
    ),
    edit(
        "bad-elements-left-out",
        "an element that is infinite or NaN can be left out of the sum",
        "What does the task say about the partial sum of a block with such an element?",
        "sum += g[i] * g[i]; -> else sum += g[i] * g[i];",
    ),
    edit(
        "one-slice-a-block",
        "each block takes one slice of neighbouring elements",
        "To which block does element 32 belong if thread k of the grid takes the elements k, k + 96 and so on?",
        "int i = blockIdx.x * blockDim.x + t; i < n; i += stride "
        "-> int part = (n + 2) / 3, i = blockIdx.x * part + t; i < n && i < (blockIdx.x + 1) * part; i += 32",
    ),
    edit(
        "flag-from-sum",
        "the sum of squares is infinite only if an element is infinite",
        "The square of 3e19 exceeds float32. Is 3e19 infinite?",
        "if (!isfinite(g[i])) atomicOr(nonfinite, 1); -> ;",
        "if (t == 0) partial -> if (t == 0 && !isfinite(sums[0])) atomicOr(nonfinite, 1);\n    if (t == 0) partial",
    ),
    edit(
        "mean-of-squares",
        "a partial sum is a mean of squares",
        "Which numbers must the host add to get the sum of all squares?",
        "partial[blockIdx.x] = sums[0] -> partial[blockIdx.x] = sums[0] / n",
    ),
    edit(
        "quotient-rounded-down",
        "n / 96 elements for each thread are all elements",
        "n is 121, and each of 96 threads takes 121 / 96 elements, rounded down. Which elements are left over?",
        "i < n; i += stride -> i < (n < stride ? n : n / stride * stride); i += stride",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "With 121 elements and 96 threads, which thread takes element 120, and in which round?",
        "i < n; i += stride -> i < n / stride * stride; i += stride",
    ),
    edit(
        "last-level-left-out",
        "the reduction is complete when two sums are left",
        "After the level in which half is 2, which elements of `sums` hold a part of the total? Which one is stored?",
        "half >= 1 -> half > 1",
    ),
    edit(
        "first-level-left-out",
        "the first level adds 8 sums to 8 others",
        "The block has 32 threads. Which element of `sums` receives the sum of thread 31, and at which level?",
        "half = 16 -> half = 8",
    ),
]

"""A window passes its gradient to the element that won, and gives the other two nothing. So dx starts at 0, and window
i adds g[i] to dx[arg[i]].

Windows overlap. An element that two windows share can win both, and then it gets the sum of two gradients. The two
windows may belong to two threads, so the addition must be atomic. If the windows did not overlap, each element could
win at most once, and a plain store would do.

The number of threads is fixed, so each thread continues in strides of the whole grid. The loop's condition is also the
bounds check.

Cost: for each window 4 bytes of g, 4 bytes of arg and one atomic addition, plus the fill of dx with zeros. Atomics
rarely collide here, because at most two windows share an element. The forward keeps M indices, and neither x nor the
output is needed.

PyTorch: `max_pool2d` keeps the indices, as int64. For images stored channel by channel, its backward on CUDA turns the
loop around. Each thread takes an element of x, visits the few windows that contain it, and adds the gradients of the
windows whose saved index is this element. No two threads write to one element, so the kernel needs no atomics and no
fill with zeros. The result is the same in every run. The backward of `MaxPool3d` uses atomics, and the backward of
`AdaptiveMaxPool2d` uses them in some cases.

Asked next:

- Which way is faster, adding from windows or collecting at elements? → Collecting reads the index of every window that
  contains the element, so each index is read several times, mostly from the cache. Collecting needs no atomics and no
  fill. If the windows overlap a lot, adding from windows takes fewer reads.
- Which element gets the gradient at a tie? → The element whose index the forward recorded. PyTorch's forward records
  the first maximum in the window.
- What if a window contains NaN? → The forward takes the NaN as the maximum, so `arg` is its index, and the gradient
  goes there.
- How would average pooling differ? → Every element of a window gets a third of the window's gradient, so nothing needs
  to be saved. Collecting at elements is then the natural way.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "Which elements of x get a gradient from window i? Can one element get a gradient from two windows?",
    "A thread takes windows in strides of the whole grid, and adds each gradient where the maximum was.",
    "Loop over i from the thread's number in the grid, while i is below M. Add g[i] atomically at the index arg[i].",
)


def apart(rng, shape, sizes):
    return rng.permutation(shape[0]) / 8.0 - 2.0


CASES = [
    given("x[n]", x=apart, large={"n": 331}),
    given("x[9]", x=[0.0, 1.0, 3.0, 0.0, 1.0, 0.0, 5.0, 2.0, 4.0], large=False, note="elements that win two windows"),
]


def windows(x):
    """Return the windows as columns. A window at the edge is filled up with a number below all others."""
    low = np.full(1, -1e6)
    left = engine.concatenate([low, x, low, low])
    count = (len(x) + 1) // 2
    return engine.stack([left[k : k + 2 * count : 2] for k in range(3)])


def forward(x):
    return windows(x).max(axis=0)


def saved(x):
    arg = np.asarray(windows(x)).argmax(axis=0)
    arg = 2 * np.arange(len(arg)) - 1 + arg
    return {"arg": arg, "dx": np.zeros_like(x), "M": len(arg)}


def launch():
    return 2, 8


def cuda_maxpool_backward():
    return r"""
__global__ void maxpool_bwd(const float* g, const int* arg, float* dx, int M) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M; i += stride)
        atomicAdd(&dx[arg[i]], g[i]);
}
"""


MISTAKES = [
    edit(
        "race",
        "no addition is lost if two threads execute `+=` at the same time",
        "Two neighbouring windows can have the same winner. Which threads take these two windows?",
        "atomicAdd(&dx[arg[i]], g[i]); -> dx[arg[i]] += g[i];",
    ),
    edit(
        "assign",
        "an element wins at most one window",
        (
            "Windows overlap. What should dx hold at an element that won two windows, and what does your kernel leave "
            "there?"
        ),
        "atomicAdd(&dx[arg[i]], g[i]); -> dx[arg[i]] = g[i];",
    ),
    edit(
        "no-guard",
        "M is a multiple of the number of threads",
        "With 19 windows and 16 threads, which threads have no window in the second round?",
        "i < M; -> i < (M + stride - 1) / stride * stride;",
    ),
    edit(
        "one-window-a-thread",
        "there are always as many threads as windows",
        "The grid has 16 threads. Which thread takes window 16?",
        "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < M; i += stride)\n        "
        "-> int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < M) ",
    ),
    edit(
        "strides-by-the-block",
        "a stride of one block reaches every element once",
        "The grid has two blocks. If both stride by the size of one block, how many times is window 8 visited?",
        "const int stride = gridDim.x * blockDim.x; -> const int stride = blockDim.x;",
    ),
    edit(
        "window-as-index",
        "the gradient of window i belongs to element i",
        "Which element of x was the maximum of window i?",
        "&dx[arg[i]] -> &dx[i]",
    ),
    edit(
        "offset-in-window",
        "arg counts from the beginning of its window",
        "Is arg[i] an index of x, or a position in window i?",
        "&dx[arg[i]] -> &dx[2 * i - 1 + arg[i]]",
    ),
    edit(
        "offset-in-cut-window",
        "arg counts from the first element of its window that exists",
        "Is arg[i] an index of x, or a position in window i?",
        "&dx[arg[i]] -> &dx[(i > 0 ? 2 * i - 1 : 0) + arg[i]]",
    ),
    edit(
        "offset-from-the-middle",
        "arg counts from the middle of its window",
        "Is arg[i] an index of x, or a distance from element 2i?",
        "&dx[arg[i]] -> &dx[2 * i + arg[i]]",
    ),
    edit(
        "window-from-2i",
        "window i begins at element 2i",
        "Which element of x is to the left of element 2i, and can it be the maximum of window i?",
        "&dx[arg[i]] -> &dx[arg[i] < 2 * i ? 2 * i : arg[i]]",
    ),
    edit(
        "spread",
        "every element of the window gets a share",
        "How much does the maximum change if another element of the window rises a little?",
        "atomicAdd(&dx[arg[i]], g[i]); -> atomicAdd(&dx[arg[i]], g[i] / 3.0f);",
    ),
    edit(
        "index-0-is-padding",
        "index 0 of x is padding",
        "Window 0 consists of the elements 0 and 1. What is arg[0] if the first element of x is the larger one?",
        "atomicAdd(&dx[arg[i]], g[i]); -> if (arg[i] > 0) atomicAdd(&dx[arg[i]], g[i]);",
    ),
    edit(
        "first-window-only",
        "an element that wins two windows gets the gradient of the first one",
        "The element rises by 0.1. How many of the two windows' maxima rise?",
        "atomicAdd(&dx[arg[i]], g[i]); -> if (i == 0 || arg[i - 1] != arg[i]) atomicAdd(&dx[arg[i]], g[i]);",
    ),
    edit(
        "second-window-only",
        "an element that wins two windows gets the gradient of the second one",
        "The element rises by 0.1. How many of the two windows' maxima rise?",
        "atomicAdd(&dx[arg[i]], g[i]); -> if (i == M - 1 || arg[i + 1] != arg[i]) atomicAdd(&dx[arg[i]], g[i]);",
    ),
    edit(
        "quotient-rounded-down",
        "M / 16 windows for each thread are all windows",
        "M is 19, and each of 16 threads takes 19 / 16 windows, rounded down. Which windows are left over?",
        "i < M; -> i < (M < stride ? M : M / stride * stride);",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "With 19 windows and 16 threads, which thread takes window 18, and in which round?",
        "i < M; -> i < M / stride * stride;",
    ),
    edit(
        "zeroed-by-every-window",
        "each thread can set its element of dx to 0 before it adds",
        "Two windows have the same winner. What may one thread have added before the other one stores 0?",
        "atomicAdd(&dx[arg[i]], g[i]); -> dx[arg[i]] = 0.0f, atomicAdd(&dx[arg[i]], g[i]);",
    ),
]

"""The derivative of ReLU is 1 if y > 0 and 0 otherwise. So each element is independent of all others. An element takes
one load of `g`, one load of `y`, one comparison and one store.

Four things turn this rule into a kernel.

A thread finds its first element, `blockIdx.x * blockDim.x + threadIdx.x`.

The thread continues in strides of the whole grid, `gridDim.x * blockDim.x`, so any grid handles any `n`. At every step
neighbouring threads access neighbouring elements, and the hardware merges these accesses into few transactions.

The loop's condition is the bounds check. `n` need not be a multiple of the number of threads; without the check the
last threads would write past the end.

The kernel selects instead of multiplying. A mask of 0 times an infinite `g` is NaN, and the matrix products later in
backward spread a NaN over whole rows and columns.

Cost: 12 bytes per element in float32 for one comparison, so memory and not arithmetic limits the speed on a large
array. The forward keeps y, which the next layer often keeps anyway. One bit per element would be enough.

PyTorch: `ReluBackward0` keeps the output, so `relu_` can work in place and the input may be overwritten. PyTorch's
`threshold_backward` selects as well. It gives 0 if y ≤ 0, and passes g in all other cases. If y is NaN, PyTorch
therefore passes g. This kernel tests y > 0, so it stores 0 for such a y.

Asked next:

- What would `float4` loads change? → Each instruction moves 16 bytes, so there are a quarter as many loads and stores
  for the same bytes. The addresses must be multiples of 16 bytes, and the last n mod 4 elements need code of their own.
- Why keep `y` and not `x`? → y > 0 exactly if x > 0, so either gives the mask. But a linear layer or a convolution that
  follows keeps y as its own input. So keeping y takes no extra memory, and x can be freed or overwritten.
- May `dx` be the same buffer as `g`? → In this kernel `dx` may be `g`: one thread reads element i and then writes it,
  and no other thread accesses element i. If the pointers are declared `__restrict__`, the buffers must differ. The
  keyword promises the compiler that memory written through one pointer is not read through another.
- What is gained by fusing this kernel into the matrix product that computes g? → The product's epilogue still holds g
  in registers. The epilogue reads y and writes dx, which moves 8 bytes per element. Without the fusion, the product
  also writes g and the kernel reads g back, which moves 16 bytes per element in all. cuBLASLt offers the fusion as
  `CUBLASLT_EPILOGUE_DRELU`.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, edit, given, mistake

HINTS = (
    (
        "There are 32 threads and perhaps 61 elements. Which thread takes the last element, and which threads take "
        "only one element?"
    ),
    "Begin at the thread's number in the whole grid, continue in strides of the whole grid, and stop before n.",
    "Write a `for` loop with one assignment. If y's element is positive, store g's element. Otherwise store zero.",
)
CASES = [
    given("x[n]", x=away_from_zero(), large={"n": 331}),
    given(
        "x[n]",
        x=[-1.0, 2.0, 0.0, 3.0, -2.0],
        g=[np.inf, 2.0, np.inf, -1.0, -np.inf],
        smooth=False,
        note="infinite gradients",
    ),
    given("x[n]", x=[3e-30, -2e-30, 1e-30], g=[2.0, 3.0, -1.0], smooth=False, note="tiny activations"),
    given(
        "x[n]",
        x=[3e6, -2e6, 10.0, 2e6],
        g=[2e6, 3e6, -1e6, 1e6],
        smooth=False,
        note="activations and gradients near 1e6",
    ),
]


def forward(x):
    return engine.relu(x)


def saved(x):
    return {"y": np.maximum(x, 0)}


def launch():
    return 2, 16


def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        dx[i] = y[i] > 0.0f ? g[i] : 0.0f;
}
"""


MISTAKES = [
    edit(
        "zero-passes",
        "an element is active if y is not negative",
        "Can y be negative after the forward? What is y where x is negative?",
        "y[i] > 0.0f -> y[i] >= 0.0f",
    ),
    edit(
        "zeros-not-stored",
        "dx is already 0 where y is 0",
        "dx is not initialised. What does dx hold where your kernel stores nothing?",
        "dx[i] = y[i] > 0.0f ? g[i] : 0.0f; -> if (y[i] > 0.0f) dx[i] = g[i];",
    ),
    edit(
        "strides-by-the-block",
        "a stride of one block reaches every element once",
        "The grid has two blocks. If both stride by the size of one block, how many times is element 16 written?",
        "stride = gridDim.x * blockDim.x -> stride = blockDim.x",
    ),
    edit(
        "block-left-out",
        "a thread's first element is the thread's number in its block",
        "Both blocks have a thread 0. Which elements does each of these threads take?",
        "int i = blockIdx.x * blockDim.x + threadIdx.x -> int i = threadIdx.x",
    ),
    edit(
        "times-y",
        "the slope of ReLU is y",
        "If x is 5 and rises by 1, by how much does y rise?",
        "y[i] > 0.0f ? g[i] : 0.0f -> y[i] > 0.0f ? g[i] * y[i] : 0.0f",
    ),
    edit(
        "tolerance",
        "a y near 0 counts as 0",
        "The slope of ReLU is 1 for every positive x. Which slope does your kernel use where y is 1e-30?",
        "y[i] > 0.0f -> y[i] > 1e-6f",
    ),
    edit(
        "quotient-rounded-down",
        "n / 32 elements for each thread are all elements",
        "n is 61, and each of 32 threads takes 61 / 32 elements, rounded down. Which elements are left over?",
        "i < n; -> i < (n < stride ? n : n / stride * stride);",
    ),
    edit(
        "full-rounds-only",
        "every round is full",
        "With 61 elements and 32 threads, which thread takes element 60, and in which round?",
        "i < n; -> i < n / stride * stride;",
    ),
]


@mistake(
    "no-bounds-check",
    "n is a multiple of the block size",
    "With 61 elements and 16 threads per block, which threads have no element in the last round?",
)
def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    int rounded = (n + blockDim.x - 1) / blockDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rounded; i += gridDim.x * blockDim.x)
        dx[i] = y[i] > 0.0f ? g[i] : 0.0f;
}
"""


@mistake(
    "one-element-per-thread",
    "there are always as many threads as elements",
    "The grid has 32 threads. Which thread computes element 32? What must a thread do after its first element?",
)
def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dx[i] = y[i] > 0.0f ? g[i] : 0.0f;
}
"""


@mistake(
    "mask-multiply",
    "a mask of zeros stops any gradient",
    "What is 0 times infinity? Choose between two values instead of multiplying.",
)
def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        dx[i] = (y[i] > 0.0f) * g[i];
}
"""

"""The derivative is 1 where y > 0 and 0 elsewhere, so each element is independent of all others: one load of `g` and of
`y`, one store, no arithmetic worth the name.

Three things make it a kernel. A thread finds its first element, `blockIdx.x * blockDim.x + threadIdx.x`. It goes on in
strides of the whole grid, `gridDim.x * blockDim.x`, so that any grid handles any `n`; neighbouring threads then touch
neighbouring elements at every step, which the hardware merges into few transactions. And the loop's condition is the
bounds check: `n` need not be a multiple of the number of threads, and without it the last of them write past the end.

It selects rather than multiplies: a mask of 0 times an infinite `g` is NaN, and the matrix products further back spread
a NaN over whole rows and columns.

Cost: 12 bytes an element in float32 for one comparison, so a large array is bound by memory, not by arithmetic. What is
kept is y, which the next layer often keeps anyway; one bit an element would do.

PyTorch: `ReluBackward0` keeps the output, so that `relu_` in place is possible and the input may be overwritten. Its
`threshold_backward` selects as well, but asks whether y ≤ 0 and passes g otherwise: where y is NaN, g goes through,
while this kernel, which asks whether y > 0, stores 0.

Asked next:

- What would `float4` loads change? → Each instruction moves 16 bytes, so there are a quarter as many loads and stores
  for the same bytes. The addresses must be multiples of 16 bytes, and the last n mod 4 elements need code of their own.
- Why keep `y` and not `x`? → y > 0 just where x > 0, so either gives the mask; but a linear layer or a convolution that
  follows keeps y as its own input, so y costs nothing more, and x can be freed or overwritten.
- May `dx` be the same buffer as `g`? → Here yes: one thread reads element i, then writes it, and no other touches it.
  It may not once the pointers are declared `__restrict__`, which promises the compiler that what is written through one
  is not read through another.
- What is gained by fusing it into the matrix product that makes g? → The product's epilogue still holds g in registers:
  it reads y and writes dx, 8 bytes an element, where a product that writes g and a kernel that reads it back move 16.
  cuBLASLt offers it as `CUBLASLT_EPILOGUE_DRELU`.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import away_from_zero, given, mistake

HINTS = (
    "There are 32 threads and perhaps 61 elements. Who takes the last one, and who takes none?",
    "Begin at the thread's number in the whole grid, go on in strides of the whole grid, and stop before n.",
    "A `for` loop whose body is one assignment, which chooses between g's element and zero by the sign of y's.",
)
CASES = [
    given("x[n]", x=away_from_zero(), large={"n": 331}),
    given("x[n]", x=[-1.0, 2.0, 0.0, 3.0, -2.0], g=[np.inf, 2.0, np.inf, -1.0, -np.inf], smooth=False, note="inf"),
    given("x[n]", x=[3e-30, -2e-30, 1e-30], g=[2.0, 3.0, -1.0], smooth=False, note="tiny activations"),
    given("x[n]", x=[3e6, -2e6, 10.0, 2e6], g=[2e6, 3e6, -1e6, 1e6], smooth=False, note="huge numbers"),
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
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        dx[i] = y[i] > 0.0f ? g[i] : 0.0f;
}
"""


@mistake(
    "no-bounds-check",
    "there are as many elements as threads take, rounded up to whole blocks",
    "With 61 elements and 16 threads a block: which threads have no element in the last round?",
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
    "The grid has 32 threads. Who computes element 32? What must a thread do when it is done with its first?",
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
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        dx[i] = (y[i] > 0.0f) * g[i];
}
"""

"""The derivative is 1 where y > 0 and 0 elsewhere, so each element is independent of all others: one load of `g` and of
`y`, one store, no arithmetic worth the name. Such a kernel is bound by memory: 12 bytes an element.

Three things make it a kernel. A thread finds its first element, `blockIdx.x * blockDim.x + threadIdx.x`. It goes on in
strides of the whole grid, `gridDim.x * blockDim.x`, so that any grid handles any `n`; neighbouring threads then touch
neighbouring elements at every step, which the hardware merges into few transactions. And the loop's condition is the
bounds check: `n` is no multiple of 16, and without it the last threads write past the end.

It selects rather than multiplies: a mask of 0 times an infinite `g` is NaN, and one NaN in a gradient is the end of a
run. PyTorch's `threshold_backward` selects as well, from the output, which is why `relu_` in place is possible.

Interviewers go on with: what would `float4` loads change? why keep `y` and not `x`? what does it cost to fuse this
into the matmul's epilogue?
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
    given("x[n]", x=away_from_zero()),
    given("x[n]", x=[-1.0, 2.0, 0.0, 3.0, -2.0], g=[np.inf, 2.0, np.inf, -1.0, -np.inf], smooth=False, note="inf"),
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

"""A bias is copied to every row, so its gradient is the sum over the rows: db[j] is the sum of g[i][j] over i.

Threads along x take neighbouring columns, so at each step the threads of a warp read neighbouring floats: 32 of them
are 128 bytes, four sectors of 32 bytes if they are aligned, of which no byte goes unused. (Blocks of 8 threads, as
here, fill a quarter of a warp.) A thread walks down its column in steps of `gridDim.y`, adds in a register, and only
then touches `db`, once.

In every column 3 blocks meet, and blocks run in any order or at once: the partial sums must be added by `atomicAdd`. A
plain `+=` is a load, an addition and a store, and of two that overlap one is lost; a plain `=` keeps the rows of one
block. The order of the atomics is not fixed and floating-point addition is not associative, so the last bits of `db`
may differ from run to run.

Cost: each of the N·D elements of g is read once and added once, 4 bytes for one addition, so memory is the limit once
enough threads are in flight. The atomics are 3·D, one a thread that has a column, and not N·D. Nothing is kept from the
forward: neither x nor b appears.

PyTorch: for `x + b` the node, `AddBackward0`, keeps nothing and passes g on as it is; the engine then sums it to the
shape of b. `F.linear` of a matrix has `AddmmBackward0`, which may keep x and the weight for their gradients, but for db
it is a `sum` over the rows again. On CUDA that `sum` reduces a block in shared memory; where several blocks share an
output, the last one to finish adds what the others left in a buffer, without atomics on floats. For kernels that do add
atomically, `torch.use_deterministic_algorithms(True)` takes another algorithm where there is one (`index_add`) and
raises a RuntimeError where there is none.

Asked next:

- How would you make it deterministic? → Let each of the 3 blocks of a column store its partial sum in its own row of a
  (3, D) buffer, and add the rows in a fixed order, in a second launch or in whichever block finishes last. Or launch
  one block in y: then a column belongs to one thread, and there are a third as many threads.
- What if D is 1 and N a million? → The grid is one block wide, and of its 8 threads one has a column: 3 threads add a
  third of a million numbers each, one after another. Spread the rows over the threads as well, combine a warp with
  `__shfl_down_sync` and a block in shared memory, and add once a block.
- What breaks when N·D passes 2³¹? → `i * D + j` is computed in `int` and overflows, which is undefined behaviour.
  Compute the offset in `size_t` or `long long`.
- g is bfloat16. In which type do you add? → In float32, rounding once, at the end. In bfloat16 256 + 1 is 256, so a
  running sum of ones stops there, and an atomic addition to a bfloat16 rounds every time.
"""

import numpy as np

from autodrill.drills import given, mistake

HINTS = (
    "Three blocks stand in each column. Which of their partial sums does db[j] hold in the end?",
    "Sum every third row of your column in a register, then let the hardware add it to what the others add.",
    "Leave if the column does not exist; loop from blockIdx.y in strides of gridDim.y; add once, atomically.",
)
CASES = [given("x[N,D] b[D]", large={"N": 307})]
WRT = ("b",)


def forward(x, b):
    return x + b


def saved(x, b):
    return {"db": np.zeros_like(b)}


def launch(D):
    return ((D + 7) // 8, 3), 8


def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    atomicAdd(&db[j], sum);
}
"""


@mistake(
    "race",
    "`+=` adds, whoever else adds at the same time",
    "Who else writes db[j]? `+=` is a load, an addition and a store: let two threads take turns in between.",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    db[j] += sum;
}
"""


@mistake(
    "overwrites",
    "a column belongs to one thread",
    "Partial sums must add: what does db[j] hold once all three blocks of a column have written?",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    db[j] = sum;
}
"""


@mistake(
    "no-guard",
    "D is a multiple of the block",
    "D is 53 and a block has 8 threads. Which column does the last thread take?",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[i * D + j];
    atomicAdd(&db[j], sum);
}
"""


@mistake(
    "transposed",
    "neighbours in a column are neighbours in memory",
    "Row by row: how far apart are g[i][j] and g[i+1][j]? (Neighbouring threads would also read far apart.)",
)
def cuda_bias_grad():
    return r"""
__global__ void bias_grad(const float* g, float* db, int N, int D) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= D) return;
    float sum = 0.0f;
    for (int i = blockIdx.y; i < N; i += gridDim.y) sum += g[j * N + i];
    atomicAdd(&db[j], sum);
}
"""

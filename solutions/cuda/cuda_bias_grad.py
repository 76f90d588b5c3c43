"""A bias is copied to every row, so its gradient is the sum over the rows: db[j] is the sum of g[i][j] over i.

Threads along x take neighbouring columns: at each step a warp then reads 32 neighbouring floats, one transaction. A
thread walks down its column in steps of `gridDim.y`, adds in a register, and only then touches `db`, once. There 3
blocks meet in every column, and blocks run in any order or at once: the partial sums must be added by `atomicAdd`. A
plain `+=` is a load, an addition and a store, and of two that overlap one is lost; a plain `=` keeps one slab of rows.
One atomic a thread instead of one an element is what makes it fast.

The order of the atomics is not fixed, so the last bits of `db` differ from run to run. PyTorch's `sum` reduces in
shared memory and a second stage instead, and is deterministic; `torch.use_deterministic_algorithms` refuses those of
its kernels that add atomically.

Interviewers go on with: how would you make it deterministic? what if D is 1 and N a million? why not one block for a
column?
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
